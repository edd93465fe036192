import { useSyncExternalStore } from 'react';

/** True once the session of this page has ended; requests wait for the next one. */
let state: 'unknown' | 'open' | 'ended' = 'unknown';
let waiting: (() => void)[] = [];
const watchers = new Set<() => void>();

function become(next: typeof state): void {
  state = next;
  for (const watcher of watchers) watcher();
}

export function sessionIsOpen(): void {
  const released = waiting;
  waiting = [];
  become('open');
  for (const go of released) go();
}

/** Leaves nobody signed in, by their own wish. */
export function forgetSession(): void {
  waiting = [];
  become('unknown');
}

/**
 * For a request that was answered with 401: resolves to true once someone is signed in again over the page, so that it
 * can be sent again. False at once where nobody was signed in before.
 */
export async function sessionReopened(): Promise<boolean> {
  if (state === 'unknown') return false;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    become('ended');
  });
  return true;
}

export function useHasSessionEnded(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => state === 'ended',
  );
}
