/** Characters that JSON is made of. */
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

export const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns the place of the quote that ends the text which begins at `start`; less than 0 if there is none. */
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
  /** Behind the container, or behind as much of it as was looked at. */
  at: number;
  isWhole: boolean;
  /** The containers in it, itself included. */
  containers: number;
}

/** Finds the end of the container that begins at `start`, if it has at most so many characters and its brackets fit. */
export function endOfContainer(json: string, start: number, charactersMax: number): ContainerEnd {
  const last = Math.min(json.length, start + charactersMax);
  let [level, containers] = [0, 0];
  for (let at = start; at < last; at++) {
    const code = json.charCodeAt(at);
    if (code === character.quote) {
      at = endOfText(json, at);
      if (at < 0) break;
    }
    // An object's bracket differs from an array's by one bit.
    else if ((code | 0x20) === character.brace) {
      level++;
      containers++;
    } else if ((code | 0x20) === character.braceEnd && --level === 0)
      return { at: at + 1, isWhole: at < last, containers };
  }
  return { at: last, isWhole: false, containers };
}
