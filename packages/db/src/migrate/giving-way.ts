import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '@relata/runtime';

/**
 * Maximum time for which a migration waits for a table in use, in ms. Requests queue behind it, so it gives way and tries
 * again. It must be less than PostgreSQL's deadlock check (1 s), which might otherwise abort a request of an app.
 */
export const lockTimeoutMs = 500;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/**
 * Time after which it gives up. Less than the timeout of the Kubernetes Job, so that a migration can still report what it
 * waited for.
 */
const patienceMs = 1_800_000;
/** SQLSTATEs: lock not available in time, and deadlock. */
const inUse = new Set(['55P03', '40P01']);

/**
 * Runs work that is rolled back if it fails, and repeats it as long as a table is in use, for at most half an hour. The
 * work sets its own `lock_timeout`, to `lockTimeoutMs`.
 */
export async function givingWay<Result>(work: () => Promise<Result>, log?: (line: string) => void): Promise<Result> {
  const deadline = Date.now() + patienceMs;
  const pauses = backoff(firstPauseMs, longestPauseMs);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!inUse.has((error as { code?: string }).code ?? '') || Date.now() > deadline) throw error;
      const pauseMs = pauses.next().value;
      log?.(`A dump or a long query uses a table. Trying again in ${(pauseMs / 1_000).toFixed(1)} s.`);
      await pause(pauseMs);
    }
  }
}
