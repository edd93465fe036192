import { useState } from 'react';
import { type ApiFailure, asFailure } from '../../api/failure.ts';

/** Runs an action, once at a time, and keeps the reason of a failure until it is tried again. */
export function useAttempt<Args extends unknown[]>(run: (...args: Args) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const attempt = async (...args: Args) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await run(...args);
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, attempt };
}
