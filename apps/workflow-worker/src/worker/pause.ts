import { setTimeout as wait } from 'node:timers/promises';

/** Waits, or until the signal is aborted; never throws. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** A time around `ms`, so that workers that started together do not do everything together. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
