import { randomBytes } from 'node:crypto';
import { hashCredential } from '@relata/auth';
import { listWith } from '@relata/db';
import { describeKind, type SignatureSpec } from '@relata/signatures';
import { invalidField } from './invalid-field.ts';

/** A token with which the maker of a sender checks the URL. */
export interface VerifyToken {
  hash: string;
  /** The token if it was generated here, so that it must be shown. */
  shown: string | undefined;
}

/** Returns the given token or a new one; undefined for a sender that does not check URLs in this way. */
export function chooseVerifyToken(
  signature: SignatureSpec | null | undefined,
  given: string | undefined,
): VerifyToken | undefined {
  const isAsked = signature ? describeKind(signature.kind).challenge?.by === 'get' : false;
  if (!isAsked && given !== undefined) throw invalidField('verifyToken', 'This kind of sender has no verify token.');
  if (!isAsked) return undefined;
  if (given !== undefined && !/^[\x21-\x7e]{8,1000}$/.test(given))
    throw invalidField('verifyToken', 'Must have 8 to 1,000 visible ASCII characters without spaces.');
  const token = given ?? generateVerifyToken();
  return { hash: hashCredential(token), shown: given === undefined ? token : undefined };
}

export const generateVerifyToken = () => randomBytes(24).toString('base64url');

/** Stores the SHA-256 of a verify token, given in hexadecimal. */
export const setVerifyToken = listWith<never, [orgId: string, id: string, hash: string]>(
  'webhook_triggers.set_verify_token',
  `UPDATE webhook_triggers SET verify_token_hash = decode($3, 'hex') WHERE org_id = $1 AND id = $2`,
);
