import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '@relata/runtime';

/**
 * Maximum time for which a migration waits for a table in use, in ms. Requests queue behind the migration, so it gives
 * way and tries again. The time must be shorter than PostgreSQL's `deadlock_timeout` (1 s); otherwise the deadlock
 * check might abort a request of an app.
 */
export const lockTimeoutMs = 500;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/**
 * Time after which a migration gives up. It is less than the timeout of the Kubernetes Job (1 h), so that the migration
 * can still report the error.
 */
const patienceMs = 1_800_000;
/** SQLSTATEs: a lock that was not free in time, and a deadlock. */
const inUse = new Set(['55P03', '40P01']);

/**
 * Runs work that is rolled back if it fails, and repeats it as long as a table is in use, for at most half an hour. The
 * work sets its own `lock_timeout`, to `lockTimeoutMs`.
 */
export async function retryWhileLocked<Result>(
  work: () => Promise<Result>,
  log?: (line: string) => void,
): Promise<Result> {
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
