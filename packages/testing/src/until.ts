import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds; fails with its last error after `timeoutMs`, which a condition that holds never costs:
 * only a claim about the time itself gives a shorter one.
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
