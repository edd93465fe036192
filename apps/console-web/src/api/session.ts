import { createStore } from './store.ts';

/** State of the session. After it has ended, requests wait for the next session. */
const state = createStore<'unknown' | 'open' | 'ended'>('unknown');
let waiting: (() => void)[] = [];

export function releaseWaitingRequests(): void {
  const released = waiting;
  waiting = [];
  state.set('open');
  for (const go of released) go();
}

/**
 * Waits after a 401 until somebody has signed in again in the overlay. Resolves to true if the request should be sent
 * again, and to false if nobody was signed in before.
 */
export async function sessionReopened(): Promise<boolean> {
  if (state.get() === 'unknown') return false;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    state.set('ended');
  });
  return true;
}

export const useHasSessionEnded = () => state.useValue((now) => now === 'ended');
