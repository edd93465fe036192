import { setTimeout as wait } from 'node:timers/promises';

/** Waits until the time has passed or the signal is aborted; never throws. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Returns `ms` with random jitter, so that processes that started together do not act at the same moments. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/**
 * Yields jittered pauses in milliseconds. The first is about `fromMs`; each further one is twice as long, up to about
 * `mostMs`.
 */
export function* backoff(fromMs: number, mostMs: number): Generator<number, never> {
  for (let ms = fromMs; ; ms = Math.min(ms * 2, mostMs)) yield jittered(ms);
}
