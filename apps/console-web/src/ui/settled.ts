import { useEffect, useState } from 'react';

const typingMs = 250;

/** Returns a text once it has not changed for a moment; the first text immediately. */
export function useSettled<Text extends string | undefined>(text: Text): Text {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
