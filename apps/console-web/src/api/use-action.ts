import { useRef, useState } from 'react';
import { type ApiFailure, asFailure } from './failure.ts';

/** Runs an action and ignores further calls while it is running. Keeps the failure until the next attempt. */
export function useAction<Args extends unknown[]>(run: (...args: Args) => Promise<unknown>) {
  // A ref, because a state changes only at the next render, and a second call may come before that.
  const isRunning = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const attempt = async (...args: Args) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      await run(...args);
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, failure, attempt };
}
