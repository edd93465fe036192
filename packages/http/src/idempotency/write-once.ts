import type { OperationInput, OperationSpec } from '@relata/schemas';
import { checkAnswer } from '../answers/check-answer.ts';
import { etagOf } from '../answers/etag.ts';
import type { OneRecord } from '../answers/one-record.ts';
import { SerializedJson } from '../answers/serialized-json.ts';
import { type Exchange, sendJson } from '../exchange/exchange.ts';
import type { UnreadAnswers } from '../limits/unread-answers.ts';
import type { Handler, HandlerContext } from '../handler.ts';
import type { Party } from '@relata/runtime';
import { hashOfName, hashOfRequest } from './idempotency-key.ts';
import type { IdempotentWrites, OnceAnswer } from './idempotent-writes.ts';

interface Writing {
  once: IdempotentWrites;
  checksAnswers: boolean;
  /** The body as it was sent. */
  sent: unknown;
}

/** Carries out a write that names itself, in the transaction of its answer, or finds what was answered to it before. */
export function writeOnce(
  spec: OperationSpec,
  handler: Handler<OperationSpec>,
  input: OperationInput<OperationSpec>,
  context: HandlerContext,
  { once, checksAnswers, sent }: Writing,
): Promise<OnceAnswer> {
  const { caller, exchange } = context;
  const name = {
    orgId: caller.orgId,
    keyId: caller.keyId,
    nameHash: hashOfName(input.idempotencyKey!),
    requestHash: hashOfRequest(spec.id, input.params, input.query, sent),
    requestId: exchange.requestId,
  };
  return once.once(name, async (transaction) => {
    const answer = await handler(input, { ...context, transaction });
    if (checksAnswers) checkAnswer(spec, answer);
    const { id, updated_at: updatedAt } = (answer as OneRecord).data;
    const json = JSON.stringify(answer);
    return { answer: { status: spec.success.status, etag: etagOf(updatedAt), json }, recordIds: [id] };
  });
}

/** Sends what was answered, now or before. */
export function sendOnce(
  exchange: Exchange,
  answer: OnceAnswer,
  { unread, party }: { unread: UnreadAnswers; party: Party },
): void {
  const { status, etag, json, isReplayed } = answer;
  const headers = { ...(etag !== undefined && { ETag: etag }), ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
  sendJson(exchange, status, new SerializedJson(undefined, json), headers);
  unread.add(party, exchange.response);
}
