import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HeldBytes, loopTurns, readArrived } from '@relata/http';
import { type Claim, readClaim, verifyClaim } from '@relata/signatures';
import { Refusal } from '../refusal.ts';
import { type SignedSender, validKeys } from './signed-sender.ts';
import type { UnverifiedBody } from './unverified-bodies.ts';

/** Hashing so much takes as long as a small post does altogether. */
const largeBytes = 65_536;

interface SignedPost {
  request: IncomingMessage;
  response: ServerResponse;
  sender: SignedSender;
  bytesMax: number;
  /** Opens what is held until the signature is known. */
  open: () => UnverifiedBody;
}

/** Bytes that the sender has signed, still packed as they came, and what is held of them. */
export interface VerifiedBody {
  bytes: Buffer;
  /** SHA-256 of the bytes, by which a copy is known; undefined if the signature covers a time. */
  hash: string | undefined;
  arrived: UnverifiedBody;
}

/**
 * Reads a post of a sender who signs, up to where it is known who sent it: 401 where no signature is there, 413, 401 where
 * it is not right. The bytes are verified before anything decodes them.
 */
export async function readSigned(post: SignedPost): Promise<VerifiedBody> {
  const claim = claimOf(post.request, post.sender, post.bytesMax);
  const arrived = post.open();
  try {
    return { ...(await readVerified(post, claim, arrived.held)), arrived };
  } catch (error) {
    arrived[Symbol.dispose]();
    throw error;
  }
}

async function readVerified(post: SignedPost, claim: Claim, held: HeldBytes) {
  const { request, response, sender, bytesMax } = post;
  const bytes = await readArrived(request, response, { bytesMax, held });
  // All strangers together have the turns of one organization.
  if (bytes.length > largeBytes) await loopTurns.take(['unverified', ...held.party]);
  const signed = { body: bytes, method: request.method ?? '', uris: () => urisOf(request) };
  if (!verifyClaim(sender.kind, validKeys(sender), claim, signed)) throw notVerified(sender);
  const hash = claim.sentAtMs === undefined ? createHash('sha256').update(bytes).digest('hex') : undefined;
  return { bytes, hash };
}

/** What can open nothing is refused unread; it is 413 all the same where that is what it is. */
function claimOf({ rawHeaders, headers }: IncomingMessage, sender: SignedSender, bytesMax: number): Claim {
  const read = readClaim(sender.kind, rawHeaders, Date.now());
  if ('claim' in read) return read.claim;
  const isTooLarge = headers['content-encoding'] === undefined && Number(headers['content-length']) > bytesMax;
  throw new Refusal(read.fault === 'invalid' && isTooLarge ? 'payload_too_large' : 'unauthorized');
}

/** Where a secret could not be decrypted it is unknown whether the signature is right, and the sender may try again. */
function notVerified({ isWhole }: SignedSender): Refusal {
  return isWhole ? new Refusal('unauthorized') : new Refusal('service_unavailable', { retryAfterSeconds: 30 });
}

/**
 * The address as the sender may have seen it. What ends TLS in front of us need not say so; trying both schemes lets
 * nobody in, as the signature has to fit one of them.
 */
function urisOf({ headers, url }: IncomingMessage): string[] {
  return ['https', 'http'].map((scheme) => `${scheme}://${headers.host ?? ''}${url}`);
}
