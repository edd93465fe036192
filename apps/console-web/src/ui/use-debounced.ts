import { useEffect, useState } from 'react';

const typingMs = 250;

/** Returns the first text immediately, and a later one once it has not changed for a moment. */
export function useDebounced<Text extends string | undefined>(text: Text): Text {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
