import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Claim, SignatureKind, SignedRequest } from './signature-kind.ts';

/** Maximum difference between the sender's clock and ours, in the past and in the future. */
const toleranceMs = 300_000;
const signaturesMax = 10;

/**
 * Result of reading a claim. `missing`: there is no signature header. `invalid`: the headers can never match, whatever
 * the body is.
 */
export type ClaimReading = { claim: Claim } | { fault: 'missing' | 'invalid' };

/**
 * Reads a request's claim from its raw headers, names and values in turn. A repeated header is no claim: it is unknown
 * which of the two another program would have read.
 */
export function readClaim(kind: SignatureKind, rawHeaders: readonly string[], nowMs: number): ClaimReading {
  const values = kind.headers.map((name) => valuesOf(rawHeaders, name));
  if (values[0]!.length === 0) return { fault: 'missing' };
  if (values.some(({ length }) => length !== 1)) return { fault: 'invalid' };
  const claim = kind.readClaim(values.map(([value]) => value!));
  const isUsable = claim && claim.signatures.length <= signaturesMax && isFresh(claim, nowMs);
  return isUsable ? { claim } : { fault: 'invalid' };
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name)
      values.push(rawHeaders[at + 1]!);
  return values;
}

function isFresh({ sentAtMs }: Claim, nowMs: number): boolean {
  return sentAtMs === undefined || Math.abs(nowMs - sentAtMs) <= toleranceMs;
}

/**
 * Returns true if one of the keys made one of the claim's signatures. All keys and signatures are compared, each in
 * constant time.
 */
export function verifyClaim(
  kind: SignatureKind,
  keys: readonly KeyObject[],
  claim: Claim,
  request: SignedRequest,
): boolean {
  let isRight = false;
  for (const message of kind.messages(request, claim)) {
    for (const key of keys) {
      const made = createHmac(kind.algorithm, key);
      for (const piece of message) made.update(piece);
      const digest = made.digest();
      for (const signature of claim.signatures)
        if (signature.length === digest.length && timingSafeEqual(signature, digest)) isRight = true;
    }
  }
  return isRight;
}
