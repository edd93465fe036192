import type { Algorithm, Encoding } from './scheme.ts';

const digestBytes: Record<Algorithm, number> = { sha1: 20, sha256: 32, sha512: 64 };

/**
 * Decodes a signature; returns undefined unless the text is exactly one digest of this algorithm. Node would skip
 * characters that it cannot decode.
 */
export function decodeDigest(text: string, algorithm: Algorithm, encoding: Encoding): Buffer | undefined {
  const length = digestBytes[algorithm];
  const isText = encoding === 'hex' ? /^[0-9a-f]+$/i.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  const characters = encoding === 'hex' ? length * 2 : Math.ceil(length / 3) * 4;
  return isText && text.length === characters ? Buffer.from(text, encoding) : undefined;
}

/** Reads a time in whole seconds or milliseconds since 1970; returns undefined for any other text. */
export function readUnixTime(text: string, unitMs: 1 | 1_000): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) * unitMs : undefined;
}
