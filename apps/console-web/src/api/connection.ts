import { useSyncExternalStore } from 'react';

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;

/** Since when the service has not answered, and when it is asked again. */
export interface Outage {
  readonly since: number;
  readonly nextTryAt: number;
}

let outage: Outage | undefined;
let waitMs = firstWaitMs;
let tryAgain: () => Promise<unknown> = () => Promise.resolve();
let onBack: () => void = () => {};
const watchers = new Set<() => void>();

/** What asks whether the service is back, and what is done when it is. */
export function watchConnection(probe: () => Promise<unknown>, whenBack: () => void): void {
  tryAgain = probe;
  onBack = whenBack;
}

export function serviceAnswered(): void {
  waitMs = firstWaitMs;
  if (!outage) return;
  become(undefined);
  onBack();
}

export function serviceIsAway(): void {
  if (outage && outage.nextTryAt > Date.now()) return;
  become({ since: outage?.since ?? Date.now(), nextTryAt: Date.now() + waitMs });
  setTimeout(probe, waitMs);
  waitMs = Math.min(longestWaitMs, waitMs * 2);
}

// Either outcome is reported by the client itself.
function probe(): void {
  tryAgain().catch(() => {});
}

function become(next: Outage | undefined): void {
  outage = next;
  for (const watcher of watchers) watcher();
}

export function useOutage(): Outage | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => outage,
  );
}
