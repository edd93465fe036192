import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { valuesOf } from './carrier.ts';
import { hmacOf } from './hmac.ts';
import type { ParsedSignature, HeaderFamily, SignatureScheme, SignedRequest } from './scheme.ts';

/** Maximum difference between the sender's clock and ours, in ms, in the past and in the future. */
export const toleranceMs = 300_000;
const signaturesMax = 10;

/** Fault of the signature headers, independent of the body. */
export type SignatureFault =
  /** There is no signature header. */
  | { fault: 'missing' }
  /** A header is missing, malformed or repeated. */
  | { fault: 'invalid' }
  /** The timestamp differs from our clock by this much. */
  | { fault: 'stale' | 'future'; awayMs: number };

/** Result of parsing the signature headers. `ignored` has the headers of other families, which are not verified. */
export type SignatureReading = { parsed: ParsedSignature; ignored: readonly string[] } | SignatureFault;

/**
 * Parses a request's signature from its raw headers, names and values in turn. A repeated header is invalid, since
 * another program might read the other value.
 */
export function parseSignature(
  scheme: SignatureScheme,
  rawHeaders: readonly string[],
  nowMs: number,
): SignatureReading {
  const found = scheme.families.map((names) => names.map((name) => valuesOf(rawHeaders, name)));
  const at = found.findIndex((values) => values.every(isSent));
  if (at < 0) return { fault: found.some(([signature]) => isSent(signature!)) ? 'invalid' : 'missing' };
  if (found[at]!.some(({ length }) => length !== 1)) return { fault: 'invalid' };
  const parsed = scheme.parseSignature(found[at]!.map(([value]) => value!));
  if (!parsed || parsed.signatures.length > signaturesMax) return { fault: 'invalid' };
  const awayMs = parsed.sentAtMs === undefined ? 0 : nowMs - parsed.sentAtMs;
  if (Math.abs(awayMs) > toleranceMs) return { fault: awayMs > 0 ? 'stale' : 'future', awayMs: Math.abs(awayMs) };
  return { parsed, ignored: ignoredBy(scheme, scheme.families[at]!) };
}

const isSent = ({ length }: readonly string[]) => length > 0;

const ignoredBy = ({ families }: SignatureScheme, family: HeaderFamily) =>
  families.length === 1 ? [] : families.flat().filter((name) => !family.includes(name));

/**
 * Returns the position of the key that made one of the parsed signatures; undefined if none did. All keys and
 * signatures are compared, each in constant time.
 */
export function verifySignature(
  scheme: SignatureScheme,
  keys: readonly KeyObject[],
  parsed: ParsedSignature,
  request: SignedRequest,
): number | undefined {
  let found: number | undefined;
  for (const message of scheme.messages(request, parsed)) {
    for (const [at, key] of keys.entries()) {
      const digest = hmacOf(scheme.algorithm, key, message);
      for (const signature of parsed.signatures)
        if (signature.length === digest.length && timingSafeEqual(signature, digest)) found = at;
    }
  }
  return found;
}
