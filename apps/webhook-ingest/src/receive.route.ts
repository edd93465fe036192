import { isUtf8 } from 'node:buffer';
import type { KeyUses } from '@relata/auth';
import { newId } from '@relata/db';
import {
  bodyReader,
  ByteBudget,
  type Exchange,
  exchangeOf,
  loopTurns,
  sendJson,
  SerializedJson,
  type SharedLimit,
} from '@relata/http';
import { isUuid } from '@relata/schemas';
import { isWithinLimits, startRuns } from '@relata/workflows/intake';
import type { Request, RequestHandler, Response } from 'express';
import { keptHeaders, repeatKeyHash } from './deliveries/delivery-headers.ts';
import type { DeliveryStore } from './deliveries/delivery-store.ts';
import { findSecret, type TriggerSnapshot } from './triggers/trigger-snapshot.ts';
import { Refusal, type refuse as Refuse } from './refusal.ts';
import type { TriggerCache } from './triggers/trigger-cache.ts';

/** 512 KB, after decoding. */
const payloadBytesMax = 524_288;

export interface ReceiveContext {
  triggers: TriggerCache;
  keyUses: KeyUses;
  limit: SharedLimit | null;
  store: Pick<DeliveryStore, 'add'>;
  refuse: typeof Refuse;
}

/** Bodies that are read or wait to be stored, all together: 128 of the largest, of which a trigger alone gets 32. */
const budget = new ByteBudget(128 * payloadBytesMax);
const readBody = bodyReader({ bytesMax: payloadBytesMax });
const received = new SerializedJson({ received: true });

/** Takes a delivery: trigger, secret, limit, body, store, answer. In this order. */
export function receiveRoute(context: ReceiveContext): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    exchange.operation = 'receiveDelivery';
    exchange.vary = 'X-Webhook-Secret';
    try {
      const trigger = await authorize(request, exchange, context);
      await loopTurns.take([trigger.orgId, trigger.id]);
      await accept(trigger, request, response, context);
      sendJson(exchange, 202, received);
    } catch (error) {
      context.refuse(exchange, error);
    }
  };
}

async function authorize(request: Request, exchange: Exchange, context: ReceiveContext): Promise<TriggerSnapshot> {
  const id = (request.params['triggerId'] as string).toLowerCase();
  if (!isUuid(id)) throw new Refusal('not_found');
  const found = context.triggers.find(id);
  const trigger = found instanceof Promise ? await found : found;
  if (!trigger) throw new Refusal('not_found');
  const secret = findSecret(trigger.secrets, request.headers['x-webhook-secret']);
  if (!secret) throw new Refusal('unauthorized');
  exchange.caller = { orgId: trigger.orgId, keyId: secret.keyId };
  if (secret.keyId !== null) context.keyUses.note({ orgId: trigger.orgId, keyId: secret.keyId }, Date.now());
  return trigger;
}

/** Only what is accepted counts towards the limit; it is taken first, so that those at the same time count too. */
async function accept(trigger: TriggerSnapshot, request: Request, response: Response, context: ReceiveContext) {
  const { limit } = context;
  const taken = await limit?.take(trigger.id);
  if (taken && !taken.isAllowed) throw new Refusal('rate_limited', { retryAfterSeconds: taken.resetSeconds });
  try {
    using held = budget.hold([trigger.orgId, trigger.id]);
    const body = await readBody(request, response, held);
    await context.store.add(deliveryOf(trigger, request, body));
  } catch (error) {
    limit?.giveBack(trigger.id);
    throw error;
  }
}

function deliveryOf(trigger: TriggerSnapshot, { headers }: Request, body: Buffer) {
  const { runs, skipped, problems } = startRuns(trigger.assignments, parsePayload(body));
  if (problems.length > 0) throw new Refusal('invalid_input', { text: problems.join('; ') });
  return {
    orgId: trigger.orgId,
    id: newId(),
    triggerId: trigger.id,
    keyHash: repeatKeyHash(headers),
    headers: keptHeaders(headers),
    body,
    runs,
    skipped,
  };
}

/** Reads a delivery's body: a JSON object within the structural limits; nothing at all is an empty object. */
function parsePayload(body: Buffer): object {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw new Refusal('invalid_json');
  const payload = parse(body.toString('utf8'));
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) throw new Refusal('invalid_json');
  if (!isWithinLimits(body)) throw new Refusal('too_complex');
  return payload;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('invalid_json');
  }
}
