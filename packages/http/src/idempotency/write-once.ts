import type { OperationInput, BaseSpec } from '@relata/schemas';
import { type Executor, type IdempotentWrites, type UnitDb, unitRunnerOf, type StoredResponse } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { checkOutput } from '../responses/check-output.ts';
import { etagIn, recordIdsIn, outputStatus } from '../responses/operation-output.ts';
import { SerializedJson } from '../responses/serialized-json.ts';
import { type Exchange, sendJson } from '../exchange/exchange.ts';
import type { UnreadResponses } from '../limits/unread-responses.ts';
import type { Handler, HandlerContext } from '../handler.ts';
import type { Party } from '@relata/runtime';
import { hashOfName, hashOfRequest } from './idempotency-key.ts';

/** The scope of idempotency keys: keys of different writers never collide. */
interface Writer {
  orgId: string;
  keyId: string;
}

/** Services for writes that share a transaction with their response, and for dry runs. */
export interface OnceContext<Who> {
  executor: Executor;
  idempotentWrites: IdempotentWrites;
  writerOf: (caller: Who) => Writer;
}

interface Writing<Who> {
  once: OnceContext<Who>;
  checksOutputs: boolean;
  /** The body as it was sent, or a value that identifies it. */
  sent: unknown;
}

export interface WriteOnceResponse extends StoredResponse {
  /** True if the write was done before, and this is its stored response. */
  isReplayed: boolean;
}

/**
 * Executes a write with an idempotency key and stores its response in the same transaction, or returns the stored
 * response.
 */
export async function writeOnce<Who>(
  spec: BaseSpec,
  handler: Handler<BaseSpec, Who>,
  input: OperationInput<BaseSpec>,
  context: HandlerContext<Who>,
  { once: { executor, idempotentWrites, writerOf }, checksOutputs, sent }: Writing<Who>,
): Promise<WriteOnceResponse> {
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
    const output = await handler(input, { ...context, writes: unitRunnerOf(db) });
    if (checksOutputs) checkOutput(spec, output, input);
    const json = JSON.stringify(output);
    return {
      response: { status: outputStatus(spec, output), etag: etagIn(spec, output, input), json },
      recordIds: recordIdsIn(output),
    };
  };
  const write = { orgId, weight: hashed.characters, run };
  const outcome = await idempotentWrites.once(request, write, (unit) =>
    spec.transaction
      ? executor.runAlone(unit, { isBulk: spec.transaction === 'bulk', sender: exchange })
      : executor.run(unit, { sender: exchange }),
  );
  if (outcome.kind === 'in_progress') throw inProgress();
  if (outcome.kind === 'erased') throw erased();
  if (outcome.kind === 'reused') throw reused(outcome.requestId);
  return { ...outcome.response, isReplayed: outcome.isReplayed };
}

/** Executes a write as a dry run: returns its response, and rolls the write back. */
export function runDry<Who>(
  spec: BaseSpec,
  handler: Handler<BaseSpec, Who>,
  input: OperationInput<BaseSpec>,
  context: HandlerContext<Who>,
  { executor, writerOf }: OnceContext<Who>,
): Promise<unknown> {
  const { orgId } = writerOf(context.caller);
  const run = (db: UnitDb) => handler(input, { ...context, writes: unitRunnerOf(db) });
  return executor.runAlone<unknown>(
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
  response: WriteOnceResponse,
  { unread, party }: { unread: UnreadResponses; party: Party },
): void {
  const { status, etag, json, isReplayed } = response;
  const headers = { ...(etag !== undefined && { ETag: etag }), ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
  sendJson(exchange, status, new SerializedJson(undefined, json), headers);
  unread.add(party, exchange.response);
}
