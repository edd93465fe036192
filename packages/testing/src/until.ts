import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds, and returns its result. Throws its last error after `timeoutMs`. The timeout only
 * delays tests that fail, so set a shorter one only in a test about time itself.
 */
export async function until<Result>(condition: () => Promise<Result> | Result, timeoutMs = 60_000): Promise<Result> {
  const begun = Date.now();
  const deadline = begun + timeoutMs;
  for (;;) {
    try {
      return await condition();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      // Polls less often the longer it has waited, since each check in a browser costs both processes some ms.
      await pause(Math.min(100, Math.max(20, (Date.now() - begun) / 20)));
    }
  }
}
