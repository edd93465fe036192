import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKeys } from './encryption-keys.ts';

/** A value as it is stored: the id of its key, and nonce, ciphertext and tag. */
export interface SealedValue {
  key_id: string;
  ciphertext: Buffer;
}

/** The row that a value belongs to. It is authenticated with the value, which therefore fits no other row. */
export interface SealContext {
  /** Purpose of the values of this table, different for each table. */
  purpose: string;
  orgId: string;
  /** Unique among the rows of an organization. */
  name: string;
}

const cipher = 'aes-256-gcm';
/**
 * Size of the nonce, which is random for each value: an installation has far fewer values than the 2^32 for which 96
 * bits are safe.
 */
const nonceBytes = 12;
const tagBytes = 16;

export function seal([key]: EncryptionKeys, context: SealContext, value: string): SealedValue {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes });
  sealing.setAAD(associatedData(context));
  const encrypted = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()]);
  return { key_id: key.id, ciphertext: Buffer.concat([nonce, encrypted, sealing.getAuthTag()]) };
}

/** Size of a value as it is stored, in bytes. */
export const sealedBytes = (value: string) => nonceBytes + Buffer.byteLength(value) + tagBytes;

/** Decrypts a value; returns undefined if no key reads it, or it belongs to another row. */
export function unseal(keys: EncryptionKeys, context: SealContext, sealed: SealedValue): string | undefined {
  const key = keys.find(({ id }) => id === sealed.key_id);
  if (!key || sealed.ciphertext.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.ciphertext.subarray(0, nonceBytes);
  const encrypted = sealed.ciphertext.subarray(nonceBytes, -tagBytes);
  const opening = createDecipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes });
  opening.setAAD(associatedData(context));
  opening.setAuthTag(sealed.ciphertext.subarray(-tagBytes));
  try {
    return Buffer.concat([opening.update(encrypted), opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Returns why `unseal` failed, as the end of a sentence; `setting` is the name of the setting with the keys. */
export function whyUnreadable(keys: EncryptionKeys, { key_id: keyId }: SealedValue, setting: string): string {
  const isKeyThere = keys.some(({ id }) => id === keyId);
  return isKeyThere ? 'is damaged' : `was encrypted with the key ${keyId}, which ${setting} lacks`;
}

/** Serializes a context as JSON, which differs for any two contexts. */
function associatedData({ purpose, orgId, name }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([purpose, 1, orgId.toLowerCase(), name]));
}
