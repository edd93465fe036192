import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds; fails with its last error after `timeoutMs`. A condition that holds never takes that
 * long, so only a test about the time itself sets a shorter one.
 */
export async function until<Result>(condition: () => Promise<Result> | Result, timeoutMs = 60_000): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await condition();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(20);
    }
  }
}
