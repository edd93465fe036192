import { createStore } from './store.ts';

/** Once the session of this page has ended, requests wait for the next one. */
const state = createStore<'unknown' | 'open' | 'ended'>('unknown');
let waiting: (() => void)[] = [];

export function sessionIsOpen(): void {
  const released = waiting;
  waiting = [];
  state.set('open');
  for (const go of released) go();
}

/** Leaves nobody signed in, by their own wish. */
export function forgetSession(): void {
  waiting = [];
  state.set('unknown');
}

/**
 * For a request that was answered with 401: resolves to true once someone is signed in again over the page, so that it
 * can be sent again. False at once where nobody was signed in before.
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
