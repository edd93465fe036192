import { createHash, hkdfSync } from 'node:crypto';

const keyBytes = 32;

/** An AES-256 key, and the id stored with each value that it encrypts. */
export interface EncryptionKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Keys: the first encrypts, all decrypt. */
export type EncryptionKeys = readonly [EncryptionKey, ...EncryptionKey[]];

/** Reads 32 bytes as 64 hexadecimal digits or in base64, with `+/` or `-_`; returns undefined for any other text. */
export function readEncryptionKey(text: string): EncryptionKey | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  return bytes.length === keyBytes ? { id: idOf(bytes), bytes } : undefined;
}

/** Returns the id of a key, a hash: it reveals nothing about 32 random bytes. */
function idOf(bytes: Buffer): string {
  return createHash('sha256').update('relata secrets key\0').update(bytes).digest('hex').slice(0, 16);
}

/**
 * Derives another key with the same id (RFC 5869, SHA-256, no salt because the bytes are random). It does not reveal
 * the given key.
 */
export function deriveKey({ id, bytes }: EncryptionKey, purpose: string): EncryptionKey {
  return { id, bytes: Buffer.from(hkdfSync('sha256', bytes, '', purpose, keyBytes)) };
}
