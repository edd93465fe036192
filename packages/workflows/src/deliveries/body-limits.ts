/** Structural limits of a body. */
export interface BodyLimits {
  keysMax: number;
  levelsMax: number;
}

/** Limits for senders that have the secret in a header. */
export const openedLimits: BodyLimits = { keysMax: 1_000, levelsMax: 20 };

/** Limits for senders of a known kind, whose events have as many keys as they need. */
export const signedLimits: BodyLimits = { keysMax: Infinity, levelsMax: 200 };

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/**
 * Returns true if valid JSON keeps to the structural limits. Counts every key of every object, including repeated ones;
 * the root is level 1. It reads bytes, and those of multi-byte characters never equal ASCII.
 */
export function isWithinLimits(json: Uint8Array, { keysMax, levelsMax }: BodyLimits): boolean {
  let [keys, level] = [0, 0];
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!;
    if (byte === quote) i = endOfString(json, i + 1);
    else if (byte === colon) keys++;
    // { and [ are 0x7b and 0x5b; their ends are two higher.
    else if ((byte | 0x20) === 0x7b) level++;
    else if ((byte | 0x20) === 0x7d) level--;
    if (keys > keysMax || level > levelsMax) return false;
  }
  return true;
}

function endOfString(json: Uint8Array, from: number): number {
  let i = from;
  while (i < json.length && json[i] !== quote) i += json[i] === backslash ? 2 : 1;
  return i;
}
