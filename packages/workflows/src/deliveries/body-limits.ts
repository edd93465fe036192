export interface BodyLimits {
  keysMax: number;
  levelsMax: number;
}

/** Limits for senders that send the secret in a header. */
export const openedLimits: BodyLimits = { keysMax: 1_000, levelsMax: 20 };

/** Limits for senders of a known kind. The number of keys is unlimited, since operators cannot change these events. */
export const signedLimits: BodyLimits = { keysMax: Infinity, levelsMax: 200 };

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Number of bytes to examine at a time. */
const pieceBytes = 131_072;

/**
 * Returns true if valid JSON is within the structural limits. Counts every key of every object, including repeated
 * ones; the root is level 1.
 */
export function isWithinLimits(json: Uint8Array, limits: BodyLimits): boolean {
  const check = new LimitsCheck(json, limits);
  while (!check.isDone) check.readOn();
  return check.isWithin;
}

/**
 * Examines JSON like `isWithinLimits`, piece by piece. Reading bytes is enough: no byte of a multi-byte character
 * equals an ASCII character.
 */
export class LimitsCheck {
  readonly #json: Uint8Array;
  readonly #limits: BodyLimits;
  #at = 0;
  #keys = 0;
  #level = 0;
  #isInText = false;
  isWithin = true;

  constructor(json: Uint8Array, limits: BodyLimits) {
    this.#json = json;
    this.#limits = limits;
  }

  get isDone(): boolean {
    return !this.isWithin || this.#at >= this.#json.length;
  }

  /** Examines the next piece, which takes at most a millisecond. */
  readOn(): void {
    const json = this.#json;
    const { keysMax, levelsMax } = this.#limits;
    const end = Math.min(this.#at + pieceBytes, json.length);
    let [at, keys, level] = [this.#at, this.#keys, this.#level];
    for (let isInText = this.#isInText; at < end; at++) {
      if (isInText) {
        while (at < end && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
        this.#isInText = isInText = at >= end;
        if (isInText) break;
        continue;
      }
      const byte = json[at]!;
      if (byte === quote) this.#isInText = isInText = true;
      else if (byte === colon) keys++;
      // { and [ are 0x7b and 0x5b; the closing } and ] are two higher.
      else if ((byte | 0x20) === 0x7b) level++;
      else if ((byte | 0x20) === 0x7d) level--;
      if (keys > keysMax || level > levelsMax) this.isWithin = false;
      if (!this.isWithin) return;
    }
    [this.#at, this.#keys, this.#level] = [at, keys, level];
  }
}
