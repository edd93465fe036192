import type { IncomingMessage } from 'node:http';
import type { KeyUses } from '@relata/auth';
import { newId } from '@relata/db';
import {
  bodyReader,
  ByteBudget,
  getExchange,
  type HeldBytes,
  loopTurns,
  sendJson,
  SerializedJson,
  type SharedLimit,
  unpackArrived,
} from '@relata/http';
import { isRecord } from '@relata/schemas';
import { type InputProblem, keptHeaders, prepareRuns } from '@relata/workflows/intake';
import { Slots } from '@relata/runtime';
import type { Request, RequestHandler } from 'express';
import type { DeliveryStore } from './deliveries/delivery-store.ts';
import type { KnownRepeats } from './deliveries/known-repeats.ts';
import { largeSlots, longestWait, needsSlot, payloadBytesMax } from './large-bodies.ts';
import { readAnything, readObject } from './read-payload.ts';
import { Post } from './refusals/post.ts';
import { refusePost } from './refusals/refuse-post.ts';
import type { RefusalLog } from './refusals/refusal-log.ts';
import { readSigned } from './signed/read-signed.ts';
import type { SignedSender } from './signed/signed-sender.ts';
import { UnverifiedBodies } from './signed/unverified-bodies.ts';
import { requireSecret } from './triggers/require-secret.ts';
import type { SecretUsageRecorder } from './triggers/secret-usage-recorder.ts';
import type { TriggerSnapshot } from './triggers/trigger-snapshot.ts';
import { dropUrlSecret } from './triggers/url-secret.ts';
import { Refusal, type refuse as Refuse } from './refusal.ts';
import type { TriggerCache } from './triggers/trigger-cache.ts';

export interface ReceiveContext {
  triggers: TriggerCache;
  keyUses: KeyUses;
  secretUsage: Pick<SecretUsageRecorder, 'note'>;
  limit: SharedLimit | null;
  /** Maximum size of a decoded body from a sender of a known kind, in bytes. */
  signedBytesMax: number;
  store: Pick<DeliveryStore, 'add'>;
  repeats: Pick<KnownRepeats, 'has'>;
  refuse: typeof Refuse;
  refusals: Pick<RefusalLog, 'add'>;
  ipOf: (request: IncomingMessage) => string;
}

const received = new SerializedJson({ received: true });

/**
 * Returns the handler for `POST /webhooks/trigger/:triggerId`. It finds the trigger, checks the secret, applies the
 * limit, reads the body and stores the delivery, in this order. If the sender signs, the body is read before the limit
 * applies, because the signature covers the body.
 */
export function receiveRoute(context: ReceiveContext): RequestHandler {
  const bodies = createBodies(context.signedBytesMax);
  return async (request, response) => {
    const exchange = getExchange(response);
    exchange.operation = 'receiveDelivery';
    exchange.vary = 'X-Webhook-Secret';
    const post = new Post(request, exchange);
    try {
      const trigger = await getTrigger(request, context);
      post.trigger = trigger;
      const statusAndBody =
        trigger.sender?.proof === 'signature'
          ? await acceptSigned(trigger, trigger.sender, post, context, bodies)
          : await acceptWithSecret(trigger, post, context, bodies);
      sendJson(exchange, ...statusAndBody);
    } catch (error) {
      refusePost(post, error, context);
    }
  };
}

/** Creates the memory limits for the bodies of a process, and the readers of bodies. */
function createBodies(signedBytesMax: number) {
  return {
    unverified: new UnverifiedBodies(payloadBytesMax, signedBytesMax),
    /**
     * Budget for bodies being read or stored: 128 bodies of 512 KB, or 4.5 bodies of the maximum size if that is more.
     * One trigger gets a quarter.
     */
    usual: new ByteBudget(Math.max(128 * payloadBytesMax, 4.5 * signedBytesMax)),
    /** Account for large bodies that got a slot before they were read. The slots limit their number. */
    large: new ByteBudget(Infinity),
    /** Slots for parsing and storing bodies beyond 512 KB, shared by organization. */
    slots: new Slots(largeSlots(signedBytesMax)),
    readOpened: bodyReader({ bytesMax: payloadBytesMax }),
    readAny: bodyReader({ bytesMax: signedBytesMax }),
  };
}

type Bodies = ReturnType<typeof createBodies>;

type StatusAndBody = [status: number, body: unknown];
const accepted: StatusAndBody = [202, received];

async function getTrigger(request: Request, { triggers }: ReceiveContext): Promise<TriggerSnapshot> {
  const trigger = await triggers.find(request.params['triggerId']);
  if (!trigger) throw new Refusal('not_found');
  return trigger;
}

async function acceptWithSecret(trigger: TriggerSnapshot, post: Post, context: ReceiveContext, bodies: Bodies) {
  const { request, exchange } = post;
  if (trigger.sender?.vary) exchange.vary = trigger.sender.vary;
  const secret = requireSecret(trigger, request);
  dropUrlSecret(trigger, request);
  exchange.caller = { orgId: trigger.orgId, keyId: secret.keyId };
  if (secret.id !== null) context.secretUsage.note(trigger.orgId, trigger.id, secret.id);
  if (secret.keyId !== null) context.keyUses.note({ orgId: trigger.orgId, keyId: secret.keyId }, Date.now());
  await loopTurns.take([trigger.orgId, trigger.id]);
  const { readOpened, readAny, usual } = bodies;
  const reader = trigger.sender ? readAny : readOpened;
  const read = (held: HeldBytes) => reader(request, exchange.response, held);
  return accept(trigger, post, { bytes: usual, read }, context, bodies);
}

/**
 * Accepts a delivery whose sender signs. Once the signature is verified, the body counts for the trigger rather than
 * for the sender's address.
 */
async function acceptSigned(
  trigger: TriggerSnapshot,
  sender: SignedSender,
  post: Post,
  context: ReceiveContext,
  bodies: Bodies,
): Promise<StatusAndBody> {
  const { request, exchange } = post;
  const { response } = exchange;
  const bytesMax = context.signedBytesMax;
  exchange.vary = sender.vary;
  const address = { clientIp: context.ipOf(request), triggerId: trigger.id };
  const verified = await readSigned({ request, response, sender, bytesMax, unverified: bodies.unverified, ...address });
  using arrived = verified.arrived;
  context.secretUsage.note(trigger.orgId, trigger.id, verified.secret.id);
  post.signedHash = verified.hash;
  post.signedWith = verified.secret.key;
  // These headers look like part of the signature but are not verified, so a repeat key must not read them.
  for (const name of verified.ignored) delete request.headers[name];
  exchange.caller = { orgId: trigger.orgId, keyId: null };
  await loopTurns.take([trigger.orgId, trigger.id]);
  const unpack = (held: HeldBytes) => {
    held.take(verified.bytes.length);
    // A large body keeps its slot until it is stored, so that the next large body from the same address is read only
    // afterwards.
    if (!arrived.hasSlot) arrived[Symbol.dispose]();
    return unpackArrived(request, verified.bytes, { bytesMax, held });
  };
  const bytes = arrived.hasSlot ? bodies.large : bodies.usual;
  return accept(trigger, post, { bytes, read: unpack }, context, bodies);
}

/**
 * Reads and stores a delivery. It counts towards the rate limit from the beginning, so that concurrent deliveries are
 * limited, too. A refused delivery no longer counts.
 */
async function accept(
  trigger: TriggerSnapshot,
  post: Post,
  { bytes, read }: { bytes: ByteBudget; read: (held: HeldBytes) => Promise<Buffer> },
  { limit, store, repeats }: ReceiveContext,
  { slots }: Bodies,
): Promise<StatusAndBody> {
  const taken = await limit?.take(trigger.id);
  if (taken && !taken.isAllowed) throw new Refusal('rate_limited', { retryAfterSeconds: taken.resetSeconds });
  try {
    using held = bytes.hold([trigger.orgId, trigger.id]);
    const body = await read(held);
    post.body = body;
    const needs = needsSlot(body.length, trigger.mappedInputs);
    using _slot = needs ? await slots.hold(held.party, { longestWait }) : undefined;
    const { challenge, delivery, problems } = await toDelivery(trigger, post, body);
    // A challenge is not an event, so it is not stored.
    if (delivery === undefined) return [200, challenge];
    // If the event was accepted before a mapping was changed, its repeat must not be refused.
    if (problems.length > 0 && !(await repeats.has(delivery))) throw invalidInput(problems);
    if (problems.length === 0) await store.add(delivery);
    return accepted;
  } catch (error) {
    limit?.giveBack(trigger.id);
    throw error;
  }
}

/** Returns the response to a signed post with which the vendor checks the URL; undefined for an event. */
function answerChallenge({ sender }: TriggerSnapshot, { signedWith }: Post, payload: unknown): object | undefined {
  const challenge = sender?.kind.challenge;
  const isAsked = signedWith && challenge?.by === 'post' && isRecord(payload);
  return isAsked ? challenge.answer(payload, signedWith) : undefined;
}

/**
 * Returns the response if the post is a challenge. Otherwise returns the delivery to store, with the problems for which
 * it must be refused. The parsed payload, which may be large, is not referenced afterwards, so it can be
 * garbage-collected while the delivery is stored.
 */
async function toDelivery(trigger: TriggerSnapshot, post: Post, body: Buffer) {
  const { request, exchange, signedHash } = post;
  const party = [trigger.orgId, trigger.id];
  const content = { body, headers: request.headers, party };
  const payload = await (trigger.sender ? readAnything(content) : readObject(content));
  const challenge = answerChallenge(trigger, post, payload);
  if (challenge !== undefined) return { challenge };
  const headers = keptHeaders(request.headers, trigger.sender?.headers);
  const pause = loopTurns.yieldAfterSlice(party);
  const prepared = await prepareRuns(trigger.assignments, { payload, headers }, body.length, pause);
  const { runs, skipped, refused } = prepared;
  const { keyHash, problem: repeatProblem } = trigger.findRepeat(request.headers, payload);
  const delivery = {
    orgId: trigger.orgId,
    id: newId(),
    triggerId: trigger.id,
    keyHash,
    bodyHash: signedHash,
    repeatProblem,
    headers,
    body,
    runs,
    skipped: [...skipped, ...refused],
    traceparent: exchange.traceparent,
  };
  return { delivery, problems: trigger.sender ? [] : refused.flatMap(({ problems }) => problems) };
}

function invalidInput(problems: readonly InputProblem[]): Refusal {
  const text = problems.map(({ message }) => message).join('; ');
  return new Refusal('invalid_input', { text, field: problems.map(({ field }) => field).join(', ') });
}
