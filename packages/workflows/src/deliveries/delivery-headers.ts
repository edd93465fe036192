import type { IncomingHttpHeaders } from 'node:http';
import { isSensitiveHeader } from '../runs/sensitive-headers.ts';

/** Headers that describe the connection rather than the event. */
const passing = new Set(
  (
    'accept accept-encoding accept-language cache-control connection content-length expect host keep-alive pragma te ' +
    'trailer transfer-encoding upgrade x-real-ip ' +
    // These headers repeat the URL, which may contain a secret.
    'referer x-original-url x-original-uri x-rewrite-url x-envoy-original-path'
  ).split(' '),
);

/**
 * Names of headers that authenticate the sender. They are not stored, because they would only help an attacker to
 * replay the request.
 */
const proof = /signature|hmac|digest|(?:^|-)(?:sig|jwt)(?:-|$)/;

interface HeaderBounds {
  countMax: number;
  /** Maximum length of a value, in characters. */
  charactersMax: number;
}

/** Limits on the headers that are stored with a delivery. */
const stored: HeaderBounds = { countMax: 40, charactersMax: 1_000 };
/** No limits. The server limits only the total size of all headers. */
export const unbounded: HeaderBounds = { countMax: Infinity, charactersMax: Infinity };

/**
 * Returns the headers to store with a delivery: headers about the event, without credentials. Also leaves out the
 * signature header, whose name may have been configured by an operator.
 */
export function keptHeaders(
  headers: IncomingHttpHeaders,
  [signature]: readonly string[] = [],
  { countMax, charactersMax } = stored,
): Record<string, string> {
  const kept: Record<string, string> = {};
  // Added first, because it determines how the body is read.
  const { 'content-type': type } = headers;
  if (type !== undefined) kept['content-type'] = type.slice(0, charactersMax);
  let count = type === undefined ? 0 : 1;
  for (const name in headers) {
    if (count === countMax) break;
    if (name === signature || name === 'content-type' || !isKeptHeader(name)) continue;
    kept[name] = String(headers[name]).slice(0, charactersMax);
    count++;
  }
  return kept;
}

/** Cached results of `isKeptHeader`, since senders repeat the same few names. */
const decided = new Map<string, boolean>();
const decidedMax = 1_000;

/** Returns true if a header with this lower-case name is stored with a delivery. */
export function isKeptHeader(name: string): boolean {
  const known = decided.get(name);
  if (known !== undefined) return known;
  const isProof = isSensitiveHeader(name) || proof.test(name);
  const isWanted = !passing.has(name) && !name.startsWith('x-forwarded-') && !isProof;
  if (decided.size < decidedMax) decided.set(name, isWanted);
  return isWanted;
}
