import { randomBytes } from 'node:crypto';
import { hashCredential } from '@relata/auth';

/** A token for the browser, and the hash that is stored. */
export interface Token {
  token: string;
  /** SHA-256 in hexadecimal. */
  hash: string;
}

/** Creates a session token of 32 random bytes. */
export function newToken(): Token {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashCredential(token) };
}

/** Returns true if text has the form of such a token. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);
