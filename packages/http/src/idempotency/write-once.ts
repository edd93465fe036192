import type { OperationInput, BaseSpec } from '@relata/schemas';
import { type Executor, type IdempotentWrites, type UnitDb, within, type WriteAnswer } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { checkAnswer } from '../answers/check-answer.ts';
import { etagIn, recordIdsIn, answerStatus } from '../answers/write-answer.ts';
import { SerializedJson } from '../answers/serialized-json.ts';
import { type Exchange, sendJson } from '../exchange/exchange.ts';
import type { UnreadAnswers } from '../limits/unread-answers.ts';
import type { Handler, HandlerContext } from '../handler.ts';
import type { Party } from '@relata/runtime';
import { hashOfName, hashOfRequest } from './idempotency-key.ts';

/** The scope of idempotency keys: keys of different writers never collide. */
interface Writer {
  orgId: string;
  keyId: string;
}

/** Services for writes that share a transaction with their answer, and for dry runs. */
export interface OnceContext<Who> {
  executor: Executor;
  idempotentWrites: IdempotentWrites;
  writerOf: (caller: Who) => Writer;
}

interface Writing<Who> {
  once: OnceContext<Who>;
  checksAnswers: boolean;
  /** The body as it was sent, or a value that identifies it. */
  sent: unknown;
}

export interface OnceAnswer extends WriteAnswer {
  /** True if the write was done before, and this is its stored answer. */
  isReplayed: boolean;
}

/**
 * Executes a write with an idempotency key and stores its answer in the same transaction, or returns the stored answer.
 */
export async function writeOnce<Who>(
  spec: BaseSpec,
  handler: Handler<BaseSpec, Who>,
  input: OperationInput<BaseSpec>,
  context: HandlerContext<Who>,
  { once: { executor, idempotentWrites, writerOf }, checksAnswers, sent }: Writing<Who>,
): Promise<OnceAnswer> {
  const { exchange, caller } = context;
  const { orgId, keyId } = writerOf(caller);
  const hashed = hashOfRequest(spec.id, input.params, input.query, sent);
  const request = {
    orgId,
    keyId,
    nameHash: hashOfName(input.idempotencyKey!),
    requestHash: hashed.hash,
    requestId: exchange.requestId,
  };
  const run = async (db: UnitDb) => {
    const answer = await handler(input, { ...context, writes: within(db) });
    if (checksAnswers) checkAnswer(spec, answer, input);
    const json = JSON.stringify(answer);
    return {
      answer: { status: answerStatus(spec, answer), etag: etagIn(spec, answer, input), json },
      recordIds: recordIdsIn(answer),
    };
  };
  const write = { orgId, weight: hashed.characters, run };
  const outcome = await idempotentWrites.once(request, write, (unit) =>
    spec.transaction
      ? executor.alone(unit, { isBulk: spec.transaction === 'bulk', sender: exchange })
      : executor.run(unit, { sender: exchange }),
  );
  if (outcome.kind === 'in_progress') throw inProgress();
  if (outcome.kind === 'erased') throw erased();
  if (outcome.kind === 'reused') throw reused(outcome.requestId);
  return { ...outcome.answer, isReplayed: outcome.isReplayed };
}

/** Executes a write as a dry run: returns its answer, and rolls the write back. */
export function runDry<Who>(
  spec: BaseSpec,
  handler: Handler<BaseSpec, Who>,
  input: OperationInput<BaseSpec>,
  context: HandlerContext<Who>,
  { executor, writerOf }: OnceContext<Who>,
): Promise<unknown> {
  const { orgId } = writerOf(context.caller);
  const run = (db: UnitDb) => handler(input, { ...context, writes: within(db) });
  return executor.alone<unknown>(
    { orgId, run },
    { isBulk: spec.transaction === 'bulk', rollsBack: true, sender: context.exchange },
  );
}

function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is in progress. Retry.';
  return new AppError('idempotency_in_progress', message, { retryAfterSeconds: 1 });
}

function erased(): AppError {
  return new AppError('conflict', 'The stored answer was erased. The request is not carried out again.');
}

function reused(firstRequestId: string): AppError {
  const message = 'This Idempotency-Key was used for another request.';
  return new AppError('idempotency_key_reused', message, { data: { first_request_id: firstRequestId } });
}

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
