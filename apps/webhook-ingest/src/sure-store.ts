import { setTimeout as pause } from 'node:timers/promises';
import { type Db, isInDoubt, isUnavailable } from '@relata/db';
import { type NewDelivery, storeDeliveries } from '@relata/workflows';

/** How long to go on asking whether something was stored. */
const settleWithinMs = 5_000;
const askEveryMs = 100;

/** Nobody can say whether it was stored: neither 202 nor a 5xx would be true. */
export class InDoubtError extends Error {
  override name = 'InDoubtError';
}

/**
 * Stores deliveries, and returns the ids of those that are new. When the connection breaks before the answer, they may be
 * stored or not: the same statement is sent again until it says so, which stores nothing twice. What fails otherwise is
 * surely not stored.
 */
export async function storeSurely(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<string>> {
  let isDoubtful = false;
  for (const until = performance.now() + settleWithinMs; ;) {
    try {
      const created = await storeDeliveries(db, deliveries);
      // Which of them were new is not known any more; that they are all there is.
      return isDoubtful ? new Set(deliveries.map(({ id }) => id)) : created;
    } catch (error) {
      isDoubtful ||= isInDoubt(error);
      if (!isDoubtful || !isUnavailable(error)) throw error;
      if (performance.now() > until) throw new InDoubtError('The database broke off while storing.', { cause: error });
      await pause(askEveryMs);
    }
  }
}
