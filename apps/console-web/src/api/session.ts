import { createStore } from './store.ts';

/** State of the session. After it has ended, requests wait for the next session. */
const state = createStore<'unknown' | 'open' | 'ended'>('unknown');
let next = Promise.withResolvers<void>();

export function releaseWaitingRequests(): void {
  state.set('open');
  next.resolve();
  next = Promise.withResolvers();
}

/**
 * Waits after a 401 until somebody has signed in again in the overlay. Resolves to true if the request should be sent
 * again, and to false if nobody was signed in before.
 */
export async function sessionReopened(): Promise<boolean> {
  if (state.get() === 'unknown') return false;
  state.set('ended');
  await next.promise;
  return true;
}

export const useHasSessionEnded = () => state.useValue((now) => now === 'ended');
