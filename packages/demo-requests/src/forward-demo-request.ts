import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '@relata/channel';
import type { Db } from '@relata/db';
import { type Claim, claimDemoRequest, recordOutcome } from './demo-request-claim.sql.ts';
import { demoRequestForm } from './demo-request.format.ts';
import { type DemoRequest, findDemoRequest } from './demo-request.sql.ts';
import { type PostFailure, postInTime } from './post-in-time.ts';

export interface ForwardOptions {
  db: Db;
  /** Undefined if none is configured. */
  channel: Channel | undefined;
  /** The request as it was stored or read. If another attempt has begun since then, the result is `busy`. */
  request: DemoRequest;
  /** Time limit for all posts together, at most five. */
  deadlineMs?: number;
  /** True to repeat a request that was already sent. */
  mayRepeat?: boolean;
  /** Called with the error if an outcome could not be recorded. */
  onError: (error: unknown) => void;
}

/**
 * `busy`: another process is sending the request, or has tried to since it was read. `already_sent`: the request is in
 * the channel. In both cases nothing was posted.
 */
type ForwardErrorCode = PostFailure['code'] | 'not_configured' | 'busy' | 'already_sent';

/** Result of forwarding. Messages do not contain the webhook's URL. */
export type Forwarded = { ok: true } | { ok: false; code: ForwardErrorCode; message: string };

/** Time that the lease lasts beyond the posts, for the answer to the claim and for recording the outcome. */
const leaseMarginMs = 10_000;

/** Longest time that the result waits for the outcome to be recorded. */
const recordMs = 1_000;

/**
 * Posts a request to the team's channel and records the outcome. If several callers try at the same time, only one
 * sends. Throws, without posting anything, if the claim fails. After a post, the result is correct even if the outcome
 * could not be recorded; such a request stays in doubt.
 */
export async function forwardDemoRequest(options: ForwardOptions): Promise<Forwarded> {
  const { db, request, deadlineMs = 5_000, mayRepeat = false, onError } = options;
  const leaseMs = deadlineMs + leaseMarginMs;
  const leaseEndsMs = performance.now() + leaseMs;
  const claim = await claimDemoRequest(db, request, { leaseMs, mayRepeat });
  if (!claim) return refusal(await findDemoRequest(db, request.org_id, request.id), mayRepeat);
  // A slow claim leaves less time: nothing must be posted once another process may have the claim.
  const leftMs = Math.max(0, Math.floor(leaseEndsMs - performance.now()));
  const failure = await send(claim, { ...options, deadlineMs: Math.min(deadlineMs, leftMs) });
  await atMost(recordMs, recordOutcome(db, claim, failure).catch(onError));
  return failure ? { ok: false, code: failure.code, message: failure.message } : { ok: true };
}

interface SendFailure extends Omit<PostFailure, 'code'> {
  code: PostFailure['code'] | 'not_configured';
}

async function send(
  claim: Claim,
  { channel, request, deadlineMs }: ForwardOptions & { deadlineMs: number },
): Promise<SendFailure | undefined> {
  if (!channel) return { code: 'not_configured', message: 'No team channel is configured.', isInDoubt: false };
  if (deadlineMs === 0)
    return { code: 'timeout', message: 'There was not enough time left to send the request.', isInDoubt: false };
  return postInTime(channel, demoRequestForm(request, claim), deadlineMs);
}

function refusal(found: DemoRequest | undefined, mayRepeat: boolean): Forwarded {
  if (found?.status === 'sent' && !mayRepeat)
    return { ok: false, code: 'already_sent', message: 'The request was already posted to the channel.' };
  return { ok: false, code: 'busy', message: 'Another process is sending the request, or has just tried to.' };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, pause(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
}
