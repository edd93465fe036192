import { type Channel, ChannelError, createChannel, type Form } from '@relata/channel';
import type { Db } from '@relata/db';
import type { OutboundGuard } from '@relata/outbound';
import { backoff, pause } from '@relata/runtime';
import { SecretError, type EncryptionKeys } from '@relata/secrets';
import { openUrl } from '../channel/channel-url.ts';
import {
  type Claim,
  countDue,
  type Outcome,
  recordSent,
  recordUnsent,
  type TakenNotice,
  takeNotices,
} from './claim.sql.ts';
import { manyForm, noticeForm, type Reader } from './notice.format.ts';

export interface SendOptions {
  db: Db;
  keys: EncryptionKeys | undefined;
  guard: OutboundGuard;
  consoleUrl: string | undefined;
  /** Minimum time between two messages about one cause. */
  quietMs: number;
  /** Aborted when the worker stops: the current message is still sent. */
  signal: AbortSignal;
}

/** Maximum number of messages per claim; more causes are combined into one message. */
const messagesMax = 10;

/** Maximum number of messages to an organization per hour. The last one combines all due causes, up to 1,000. */
const hourlyMax = 30;

/** Maximum number of causes that one message sums up. */
const causesMax = 1_000;

/** Vendors accept about a message per second. */
const betweenMs = 1_000;

const postMs = 5_000;

/** Time after which no further message is sent in a claim, well before its lease expires. */
const claimMs = 60_000;

/** Minimum pause between two claims of a channel, so that failures in the meantime can share a message. */
const restMs = 5_000;

const failureMs = 60_000;
const failureMsMax = 3_600_000;

type Failure = NonNullable<Outcome['error']> & { retryAfterMs?: number | undefined };

/** Sends the notices of a claimed channel, one after another, until one fails. */
export async function sendNotices(options: SendOptions, claim: Claim): Promise<Outcome> {
  const endsAtMs = performance.now() + claimMs;
  let sent = 0;
  try {
    const channel = await openOrFail(options, claim);
    const room = Math.max(0, hourlyMax - claim.hour_sent);
    while (sent < Math.min(room, messagesMax) && performance.now() < endsAtMs) {
      if (sent > 0) await pause(betweenMs, options.signal);
      if (options.signal.aborted || !(await sendNext(options, claim, { channel, room: room - sent }))) break;
      sent++;
    }
    const pauseMs = sent === room ? Math.max(restMs, claim.hour_left_ms) : restMs;
    return { sent, error: undefined, pauseMs };
  } catch (thrown) {
    const { retryAfterMs = 0, ...error } = explain(thrown);
    return { sent, error, pauseMs: Math.max(failurePauseMs(sent > 0 ? 0 : claim.failures), retryAfterMs) };
  }
}

/** Sends the next notice, or one message for all due notices if there are too many. Returns false if none is due. */
async function sendNext(
  { db, quietMs, consoleUrl }: SendOptions,
  claim: Claim,
  { channel, room }: { channel: Channel; room: number },
): Promise<boolean> {
  const oneByOneMax = Math.min(room, messagesMax);
  const { due, has_test: hasTest } = await countDue(db, claim.org_id, oneByOneMax + 1);
  const isMany = due > oneByOneMax && !hasTest;
  const notices = due === 0 ? [] : await takeNotices(db, claim, isMany ? causesMax : 1, quietMs);
  const [first] = notices;
  if (!first) return false;
  const reader: Reader = { orgId: claim.org_id, organization: claim.organization, consoleUrl };
  const form = isMany ? await manyForm(db, reader, notices) : await noticeForm(db, reader, first);
  await post(db, claim, { channel, notices, form });
  await recordSent(db, claim, notices, quietMs);
  return true;
}

interface Message {
  channel: Channel;
  notices: readonly TakenNotice[];
  form: Form;
}

async function post(db: Db, claim: Claim, { channel, notices, form }: Message): Promise<void> {
  try {
    await channel.postForm(form);
  } catch (error) {
    await recordUnsent(db, claim, notices, error instanceof ChannelError && error.isInDoubt);
    throw error;
  }
}

/**
 * Opens the channel. If that fails, records a due test message as failed, so that it does not stay in the state
 * "waiting".
 */
async function openOrFail(options: SendOptions, claim: Claim): Promise<Channel> {
  try {
    return openChannel(options, claim);
  } catch (error) {
    const { db, quietMs } = options;
    const { has_test: hasTest } = await countDue(db, claim.org_id, 1);
    if (hasTest) await recordUnsent(db, claim, await takeNotices(db, claim, 1, quietMs), false);
    throw error;
  }
}

function openChannel({ keys, guard }: SendOptions, { org_id: orgId, kind, ...sealed }: Claim): Channel {
  if (!keys)
    throw new SecretError('secrets_key_missing', 'The worker has no NOTIFY_KEYS. Ask an operator to set them.');
  const url = openUrl(keys, orgId, kind, sealed);
  return createChannel({ url, kind, timeoutMs: postMs, resolve: (target, signal) => guard(orgId, target, signal) });
}

/** Returns a failure that operators and admins can act on; rethrows any other. Its message does not contain the URL. */
function explain(thrown: unknown): Failure {
  if (!(thrown instanceof ChannelError || thrown instanceof SecretError)) throw thrown;
  const { code, message } = thrown;
  return { code, message, ...(thrown instanceof ChannelError && { retryAfterMs: thrown.retryAfterMs }) };
}

/** Returns a pause that doubles with each failure in a row, from a minute to an hour. */
function failurePauseMs(failures: number): number {
  const pauses = backoff(failureMs, failureMsMax);
  for (let before = 0; before < Math.min(failures, 10); before++) pauses.next();
  return pauses.next().value;
}
