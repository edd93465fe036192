import { setTimeout as pause } from 'node:timers/promises';
import { type Db, isUnavailable } from '@relata/db';
import { type NewDelivery, storeDeliveries } from '@relata/workflows/intake';

/** Time for which storing is retried before InDoubtError is thrown. */
const retryForMs = 5_000;
const askEveryMs = 100;

/** The delivery may or may not have been stored, so neither 202 nor a 5xx would be true. */
export class InDoubtError extends Error {
  override name = 'InDoubtError';
}

/**
 * Stores deliveries that may already be stored, because the connection broke before the response. It repeats the same
 * statement, which stores no delivery twice, until it succeeds. Throws InDoubtError if the database stays unavailable.
 * After any other error, the deliveries are certainly not stored.
 */
export async function storeUntilKnown(db: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  for (const until = performance.now() + retryForMs; ;) {
    try {
      await storeDeliveries(db, deliveries);
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() > until) throw new InDoubtError('The database became unavailable.', { cause: error });
      await pause(askEveryMs);
    }
  }
}
