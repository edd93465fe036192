/** Character codes of the syntax of JSON. */
export const character = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  bracket: 0x5b,
  bracketEnd: 0x5d,
  brace: 0x7b,
  braceEnd: 0x7d,
} as const;

/** The literals `true`, `false` and `null` with their values, by the code of the first character. */
export const words = new Map(
  [
    { text: 'true', value: true },
    { text: 'false', value: false },
    { text: 'null', value: null },
  ].map((word) => [word.text.charCodeAt(0), word]),
);

export const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns the position of the quote that ends the string beginning at `start`; negative if there is none. */
export function endOfText(json: string, start: number): number {
  let at = json.indexOf('"', start + 1);
  while (at > 0 && isEscaped(json, at)) at = json.indexOf('"', at + 1);
  return at;
}

function isEscaped(json: string, quoteAt: number): boolean {
  let at = quoteAt;
  while (json.charCodeAt(at - 1) === character.backslash) at--;
  return (quoteAt - at) % 2 === 1;
}

interface ContainerEnd {
  /** Position after the container, or after the examined part of it. */
  at: number;
  isWhole: boolean;
  /** Number of containers in it, including itself. */
  containers: number;
}

/**
 * Finds the end of the container that begins at `start`, if it has at most `charactersMax` characters. Only counts
 * brackets, so a `]` may close a `{`: JSON.parse finds such faults.
 */
export function endOfContainer(json: string, start: number, charactersMax: number): ContainerEnd {
  const last = Math.min(json.length, start + charactersMax);
  let [level, containers] = [0, 0];
  for (let at = start; at < last; at++) {
    const code = json.charCodeAt(at);
    if (code === character.quote) {
      at = endOfText(json, at);
      if (at < 0) break;
    }
    // The bracket of an object differs from that of an array by one bit.
    else if ((code | 0x20) === character.brace) {
      level++;
      containers++;
    } else if ((code | 0x20) === character.braceEnd && --level === 0)
      return { at: at + 1, isWhole: at < last, containers };
  }
  return { at: last, isWhole: false, containers };
}
