import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Of the connection rather than of the event. */
const passing = new Set(
  (
    'accept accept-encoding accept-language cache-control connection content-length expect host keep-alive pragma te ' +
    'trailer transfer-encoding upgrade x-real-ip'
  ).split(' '),
);

const secretive = /secret|token|auth|cookie|password|credential|api-?key|session|signature|hmac/;

const namesMax = 40;
const valueCharactersMax = 1_000;

/**
 * The headers that are kept with a delivery: those about the event, and never a credential or a signature, whose header an
 * operator may have named.
 */
export function keptHeaders(headers: IncomingHttpHeaders, [signature]: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    if (count === namesMax) break;
    if (name === signature || !isKept(name)) continue;
    kept[name] = String(headers[name]).slice(0, valueCharactersMax);
    count++;
  }
  return kept;
}

/** Senders use the same few names again and again. */
const judged = new Map<string, boolean>();
const judgedMax = 1_000;

function isKept(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isWanted = !passing.has(name) && !name.startsWith('x-forwarded-') && !secretive.test(name);
  if (judged.size < judgedMax) judged.set(name, isWanted);
  return isWanted;
}

/** The key by which a sender marks repeats, as a hash: it may be of any length. */
export function repeatKeyHash(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'] || headers['webhook-id'];
  return key ? hash('sha256', String(key), 'hex') : undefined;
}
