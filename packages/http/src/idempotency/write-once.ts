import type { OperationInput, BaseSpec } from '@relata/schemas';
import type { UnitDb } from '@relata/db';
import { checkAnswer } from '../answers/check-answer.ts';
import { etagIn, recordIdsIn, statusOf } from '../answers/write-answer.ts';
import { SerializedJson } from '../answers/serialized-json.ts';
import { type Exchange, sendJson } from '../exchange/exchange.ts';
import type { UnreadAnswers } from '../limits/unread-answers.ts';
import type { Handler, HandlerContext } from '../handler.ts';
import type { Party } from '@relata/runtime';
import { hashOfName, hashOfRequest } from './idempotency-key.ts';
import type { IdempotentWrites, OnceAnswer } from './idempotent-writes.ts';

/** Who names writes; one of these never meets the names of another. */
export interface Writer {
  orgId: string;
  keyId: string;
}

interface Writing {
  once: IdempotentWrites;
  writer: Writer;
  checksAnswers: boolean;
  /** The body as it was sent, or what tells it from all others. */
  sent: unknown;
}

/** Carries out a write that names itself, in the transaction of its answer, or finds what was answered to it before. */
export function writeOnce<Who>(
  spec: BaseSpec,
  handler: Handler<BaseSpec, Who>,
  input: OperationInput<BaseSpec>,
  context: HandlerContext<Who>,
  { once, writer, checksAnswers, sent }: Writing,
): Promise<OnceAnswer> {
  const { exchange } = context;
  const request = hashOfRequest(spec.id, input.params, input.query, sent);
  const name = {
    orgId: writer.orgId,
    keyId: writer.keyId,
    nameHash: hashOfName(input.idempotencyKey!),
    requestHash: request.hash,
    requestId: exchange.requestId,
  };
  const write = async (transaction: UnitDb) => {
    const answer = await handler(input, { ...context, transaction });
    if (checksAnswers) checkAnswer(spec, answer);
    const json = JSON.stringify(answer);
    return {
      answer: { status: statusOf(spec, answer), etag: etagIn(spec, answer), json },
      recordIds: recordIdsIn(answer),
    };
  };
  const manner = { isAlone: spec.hasItems === true, weight: request.characters, sender: exchange };
  return once.once(name, write, manner);
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
