import { createHash } from 'node:crypto';

/**
 * Returns the id of a secret in events, since secrets have no id in the database: a UUID version 8 of its organization
 * and name. A secret that is removed and set again, with any value, keeps this id.
 */
export function secretId(orgId: string, name: string): string {
  const bytes = createHash('sha256').update(`relata secret id\0${orgId.toLowerCase()}\0${name}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
