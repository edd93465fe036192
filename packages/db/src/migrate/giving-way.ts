import { setTimeout as pause } from 'node:timers/promises';

/**
 * How long a migration waits for a table that is in use. Requests that come later wait behind it, so that it gives way and
 * tries again. It does so before PostgreSQL looks for deadlocks (1 s), which could end a request of an app in its place.
 */
export const lockTimeoutMs = 500;

const firstPauseMs = 200;
const longestPauseMs = 5_000;
/** Less than the Job of Kubernetes has, so that it can be said what was waited for. */
const patienceMs = 1_800_000;
/** Of PostgreSQL: the lock was not available in time, and a deadlock. */
const inUse = new Set(['55P03', '40P01']);

/** Does a piece of work that is undone where it fails, again and again for as long as a table is in use. */
export async function givingWay<Result>(work: () => Promise<Result>, log?: (line: string) => void): Promise<Result> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!inUse.has((error as { code?: string }).code ?? '') || Date.now() > deadline) throw error;
      log?.(`A table is in use, by a dump or a long query; trying again in ${pauseMs / 1_000} s.`);
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}
