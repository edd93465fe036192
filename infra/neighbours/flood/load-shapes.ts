import { setTimeout as pause } from 'node:timers/promises';

/**
 * Starts `work` at a constant rate until the signal is aborted, even if earlier work has not ended. Waits until all
 * work has ended.
 */
export async function atRate(
  signal: AbortSignal,
  perSecond: number,
  work: (turn: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  const begun = new Set<Promise<unknown>>();
  for (let turn = 0; !signal.aborted; turn++) {
    await waited(startedAt + (turn * 1_000) / perSecond - performance.now(), signal);
    if (signal.aborted) break;
    const one = work(turn).finally(() => begun.delete(one));
    begun.add(one);
  }
  await Promise.all(begun);
}

/**
 * Runs `work` `count` times concurrently, in waves until the signal is aborted. A wave begins once the previous one has
 * ended and `everyMs` have passed since its beginning.
 */
export async function inWaves(
  signal: AbortSignal,
  { count, everyMs }: { count: number; everyMs: number },
  work: (place: number, wave: number) => Promise<unknown>,
): Promise<void> {
  for (let wave = 0; !signal.aborted; wave++) {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, (_, place) => work(place, wave)));
    await waited(startedAt + everyMs - performance.now(), signal);
  }
}

/** Waits for `ms`, or until the signal is aborted. */
export async function waited(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await pause(ms, undefined, { signal }).catch(() => undefined);
}

/** Waits until the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
