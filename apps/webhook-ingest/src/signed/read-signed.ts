import { createHash, hash as digestOf } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopTurns, readArrived } from '@relata/http';
import { AppError } from '@relata/schemas/errors';
import { type ParsedSignature, parseSignature, type SignedRequest, verifySignature } from '@relata/signatures';
import { Refusal } from '../refusal.ts';
import { type SignedSender, type SigningSecret, validSecrets } from './signed-sender.ts';
import { largeBodyMs, type UnverifiedBodies, type UnverifiedBody } from './unverified-bodies.ts';
import { unauthenticated, unusableSignature } from './unauthenticated.ts';

/** Size of a body, in bytes, above which hashing it takes longer than handling a whole small post. */
const largeBytes = 65_536;

interface SignedPost {
  request: IncomingMessage;
  response: ServerResponse;
  sender: SignedSender;
  bytesMax: number;
  /** Limits the bodies that are held until their signature is verified, by address and trigger. */
  unverified: UnverifiedBodies;
  clientIp: string;
  triggerId: string;
}

/** Bytes that the sender has signed, still encoded as received, and the account that holds them. */
export interface VerifiedBody {
  bytes: Buffer;
  /** SHA-256 that identifies a copy of the post; undefined if the signature includes a timestamp. */
  hash: string | undefined;
  /** The secret with which the post was signed. */
  secret: SigningSecret;
  /** Names of headers that look like part of a signature, but are not verified. */
  ignored: readonly string[];
  arrived: UnverifiedBody;
}

/**
 * Reads a post of a signing sender and verifies its signature. Throws Refusal: 401 without a usable signature header,
 * 413 if the body is too large, and 401 if the signature is wrong. The bytes are verified before anything decodes them.
 */
export async function readSigned(post: SignedPost): Promise<VerifiedBody> {
  const { parsed, ignored } = signatureOf(post.request, post.sender, post.bytesMax);
  const declaredBytes = Number(post.request.headers['content-length'] ?? 0);
  const isPacked = post.request.headers['content-encoding'] !== undefined;
  if (declaredBytes > post.bytesMax && !isPacked) throw new Refusal('payload_too_large');
  const { unverified, clientIp, triggerId } = post;
  const arrived = unverified.isLarge(declaredBytes) ? await openLarge(post) : unverified.open(clientIp, triggerId);
  try {
    return await readVerified(post, parsed, { arrived, ignored });
  } catch (error) {
    arrived[Symbol.dispose]();
    throw error;
  }
}

/** Waits until a large body may be read. Throws if the sender disconnects before. */
async function openLarge({ response, unverified, clientIp, triggerId }: SignedPost): Promise<UnverifiedBody> {
  const leaving = new AbortController();
  const onLeave = () =>
    leaving.abort(new AppError('invalid_json', 'The sender disconnected before its body was read.'));
  response.once('close', onLeave);
  try {
    return await unverified.openLarge(clientIp, triggerId, leaving.signal);
  } finally {
    response.removeListener('close', onLeave);
  }
}

async function readVerified(
  { request, response, sender, bytesMax }: SignedPost,
  parsed: ParsedSignature,
  { arrived, ignored }: Pick<VerifiedBody, 'arrived' | 'ignored'>,
): Promise<VerifiedBody> {
  const { held, hasSlot } = arrived;
  const bytes = await readArrived(request, response, { bytesMax, held, withinMs: hasSlot ? largeBodyMs : undefined });
  // All unverified senders together get one organization's share of the event loop.
  if (bytes.length > largeBytes) await loopTurns.take(['unverified', ...held.party]);
  const signed = { body: bytes, uris: () => urisOf(request) };
  const secrets = validSecrets(sender);
  const keys = secrets.map(({ key }) => key);
  const secret = secrets[verifySignature(sender.kind, keys, parsed, signed) ?? -1];
  if (!secret) throw notVerified(sender);
  const isHashed = parsed.sentAtMs === undefined;
  if (isHashed && bytes.length > largeBytes) await loopTurns.take(['unverified', ...held.party]);
  const hash = isHashed ? hashSigned(sender, parsed, signed) : undefined;
  return { bytes, hash, secret, ignored, arrived };
}

/**
 * Returns the SHA-256 of the bytes or, if an id is signed as well, of the whole signed text. Separate hashes of id and
 * bytes would not be safe: with the template `{id}{body}`, characters can be moved between id and body, and the
 * signature stays valid.
 */
function hashSigned({ kind }: SignedSender, parsed: ParsedSignature, signed: SignedRequest): string {
  if (parsed.id === undefined) return digestOf('sha256', signed.body, 'hex');
  const made = createHash('sha256');
  for (const piece of kind.messages(signed, parsed)[0]!) made.update(piece);
  return made.digest('hex');
}

/**
 * Reads the signature header. If it is unusable, refuses the post without reading its body: with 413 if the header
 * exists and the declared size exceeds the limit, otherwise with 401.
 */
function signatureOf({ rawHeaders, headers }: IncomingMessage, sender: SignedSender, bytesMax: number) {
  const read = parseSignature(sender.kind, rawHeaders, Date.now());
  if ('parsed' in read) return read;
  const isTooLarge = headers['content-encoding'] === undefined && Number(headers['content-length']) > bytesMax;
  throw read.fault !== 'missing' && isTooLarge
    ? new Refusal('payload_too_large')
    : unusableSignature(read, sender.place, rawHeaders);
}

/**
 * Returns the refusal of a wrong signature. If a secret could not be decrypted, the signature may be right, so the
 * sender gets 503 and may retry.
 */
function notVerified({ isWhole }: SignedSender): Refusal {
  if (!isWhole) return new Refusal('service_unavailable', { retryAfterSeconds: 30 });
  return unauthenticated(
    'bad_signature',
    'The signature is wrong: the sender uses a different secret, or the body was changed.',
  );
}

/**
 * Returns the URLs that the sender may have signed. They differ in the scheme, which a proxy that terminates TLS may
 * not report. Trying both is safe, since the signature must match one of them.
 */
function urisOf({ headers, url }: IncomingMessage): string[] {
  return ['https', 'http'].map((scheme) => `${scheme}://${headers.host ?? ''}${url}`);
}
