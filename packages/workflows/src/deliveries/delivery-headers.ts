import type { IncomingHttpHeaders } from 'node:http';
import { isSensitiveHeader } from '../runs/sensitive-headers.ts';

/** Of the connection rather than of the event. */
const passing = new Set(
  (
    'accept accept-encoding accept-language cache-control connection content-length expect host keep-alive pragma te ' +
    'trailer transfer-encoding upgrade x-real-ip'
  ).split(' '),
);

/** What proves who sent something is of no use to anybody later, but to who wants to send it again. */
const proof = /signature|hmac|digest|(?:^|-)(?:sig|jwt)(?:-|$)/;

const namesMax = 40;
const valueCharactersMax = 1_000;

/**
 * The headers that are kept with a delivery: those about the event, and never a credential or a signature, whose header an
 * operator may have named.
 */
export function keptHeaders(
  headers: IncomingHttpHeaders,
  [signature]: readonly string[] = [],
  charactersMax = valueCharactersMax,
): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    if (count === namesMax) break;
    if (name === signature || !isKeptHeader(name)) continue;
    kept[name] = String(headers[name]).slice(0, charactersMax);
    count++;
  }
  return kept;
}

/** Senders use the same few names again and again. */
const judged = new Map<string, boolean>();
const judgedMax = 1_000;

/** Returns true if a header of this name, in small letters, is kept with a delivery. */
export function isKeptHeader(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isProof = isSensitiveHeader(name) || proof.test(name);
  const isWanted = !passing.has(name) && !name.startsWith('x-forwarded-') && !isProof;
  if (judged.size < judgedMax) judged.set(name, isWanted);
  return isWanted;
}
