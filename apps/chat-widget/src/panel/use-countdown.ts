import { useEffect, useState } from 'preact/hooks';

const secondsUntil = (until: number) => Math.max(0, Math.ceil((until - Date.now()) / 1_000));

/** Returns the whole seconds until a time in milliseconds since 1970. Counts down to 0. */
export function useSecondsUntil(until: number): number {
  const [, setTick] = useState(0);
  const seconds = secondsUntil(until);
  useEffect(() => {
    if (secondsUntil(until) === 0) return undefined;
    // The last tick renders 0 seconds, which enables the button.
    const timer = setInterval(() => setTick((tick) => tick + 1), 250);
    return () => clearInterval(timer);
  }, [until, seconds === 0]);
  return seconds;
}
