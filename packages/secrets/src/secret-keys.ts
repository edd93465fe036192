import { createHash, hkdfSync } from 'node:crypto';

const keyBytes = 32;

/** A key of AES-256, and what is stored of which key a value was encrypted with. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first encrypts, all decrypt. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

/** Reads 32 bytes as 64 hexadecimal digits or in base64, with `+/` or `-_`; undefined where it is neither. */
export function readSecretKey(text: string): SecretKey | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  return bytes.length === keyBytes ? { id: idOf(bytes), bytes } : undefined;
}

/** A hash of 32 random bytes says nothing about them. */
function idOf(bytes: Buffer): string {
  return createHash('sha256').update('relata secrets key\0').update(bytes).digest('hex').slice(0, 16);
}

/** Another key of the same id (RFC 5869, SHA-256, no salt: the bytes are random), of which the given one cannot be known. */
export function deriveKey({ id, bytes }: SecretKey, purpose: string): SecretKey {
  return { id, bytes: Buffer.from(hkdfSync('sha256', bytes, '', purpose, keyBytes)) };
}
