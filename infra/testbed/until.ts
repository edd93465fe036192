import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;
/** An upper limit, not the expected time: a busy machine can stall for seconds. */
const usualMaxMs = 120_000;

/**
 * Waits until a condition returns something other than undefined or false. An error counts as false. Rejects after
 * `withinMs`, which callers pass only if they test the duration.
 */
export async function until<Result>(
  what: string,
  condition: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs: number = usualMaxMs,
): Promise<Result> {
  const deadline = Date.now() + withinMs;
  for (let cause: unknown; ;) {
    try {
      const result = await condition();
      if (result !== undefined && result !== false) return result;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`Timed out after ${withinMs / 1_000} s: ${what}.`, { cause });
    await pause(pollMs);
  }
}

/** Rejects when the signal is aborted. Use it in a race with work that need not be awaited after an abort. */
export function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => reject(new Error('Given up.', { cause: signal.reason }));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
