import type { Key } from '../api/types.ts';

export type KeyAct = 'edit' | 'rotate' | 'revoke';

const dayMs = 86_400_000;
const unusedDays = 30;

export function hasEnded({ revoked_at, expires_at }: Key, now: number): boolean {
  return revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= now);
}

/** True if the key has not been used for so long that it is probably forgotten. */
export function isUnused({ last_used_at, created_at }: Key, now: number): boolean {
  return now - Date.parse(last_used_at ?? created_at) > unusedDays * dayMs;
}

/** Returns the beginning and the end of a key, by which people recognize it: `sk_…a1B2`. */
export function shortKey({ prefix, last_four }: Pick<Key, 'prefix' | 'last_four'>): string {
  return `${prefix.replace('relata_', '')}…${last_four}`;
}
