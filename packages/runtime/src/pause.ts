import { setTimeout as wait } from 'node:timers/promises';

/** Waits until the time is over or the signal is aborted; never throws. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Returns a time around `ms`, so that processes that started together do not act at the same moments. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/**
 * Yields pauses in milliseconds: the first around `fromMs`, each further one around twice the previous, until they are
 * around `mostMs`.
 */
export function* backoff(fromMs: number, mostMs: number): Generator<number, never> {
  for (let ms = fromMs; ; ms = Math.min(ms * 2, mostMs)) yield jittered(ms);
}
