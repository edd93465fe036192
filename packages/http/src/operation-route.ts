import type { Caller } from '@relata/auth';
import type { Log, Metrics, Party } from '@relata/runtime';
import { type BaseSpec, type OperationInput, isRecord, takesIfMatch } from '@relata/schemas';
import { type ErrorDetail, type ReadPart, readPart, validationError } from '@relata/schemas/errors';
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { Admission } from './limits/admission.ts';
import type { Authorize } from './authenticate.ts';
import type { Handler } from './handler.ts';
import { readJson } from './body/body.ts';
import type { ParsedJson } from './body/parse-json.ts';
import type { ByteBudget } from './limits/byte-budget.ts';
import { type Exchange, sendError, sendJson, sendNotModified } from './exchange/exchange.ts';
import { queryOf } from './exchange/query.ts';
import { readIdempotencyKey } from './idempotency/idempotency-key.ts';
import { type OnceContext, sendOnce, runDry, writeOnce } from './idempotency/write-once.ts';
import { loopTurns } from './limits/loop-turns.ts';
import { ifMatchDetails, isNamed, parseIfMatch } from './responses/etag.ts';
import { explainBrokenId } from './responses/broken-id.ts';
import { checkOutput } from './responses/check-output.ts';
import { cutTo } from './responses/cut-output.ts';
import { SerializedJson } from './responses/serialized-json.ts';
import { StreamedResponse } from './responses/streamed-response.ts';
import type { UnreadResponses } from './limits/unread-responses.ts';
import { requestCost, etagIn, isDryRun, outputStatus, markDryRun } from './responses/operation-output.ts';

/** Handlers for all operations of a list. If one is missing, the code does not compile. */
export type Handlers<Operations extends Record<string, BaseSpec>, Who = Caller> = {
  [Id in keyof Operations]: Handler<Operations[Id], Who>;
};

export interface ApiContext<Spec, Who> {
  /**
   * Returns the caller of a request, identified by an API key or by the app's own kind of credential. Throws if there
   * is no caller, or if the caller lacks a permission.
   */
  authorize: Authorize<Spec, Who>;
  /** Throws if the caller lacks a permission that depends on the body. */
  authorizeBody?: (spec: Spec, body: unknown, caller: Who) => void;
  /** Returns the check that admits authorized callers to an operation, such as a rate limit; null if there is none. */
  admission: (spec: Spec) => Admission<Who> | null;
  /** Budget for the bytes of bodies. A body counts from when reading begins until the request is answered. */
  bodies: ByteBudget;
  /** Budget for large responses that clients have not received yet. */
  unread: UnreadResponses;
  /** Returns the party whose share the bytes and turns of a request use. */
  partyOf: (request: Request, caller: Who) => Party;
  /** Executes writes with an idempotency key once. If undefined, such keys are ignored. */
  once?: OnceContext<Who>;
  log: Log;
  metrics: Metrics;
  /** True if the outputs of handlers are checked against the operation; for tests and development. */
  checksOutputs: boolean;
  /** True if handlers may return fields that the schema of the operation does not have. These are removed. */
  cutsOutputs?: boolean;
  /** True if bodies may contain any JSON, such as workflow definitions. They are then kept whole. */
  keepsWholeBodies?: boolean;
  /** Finds further problems of an invalid body that only the database knows. */
  explainBody?: (spec: Spec, caller: Who, body: object) => Promise<ErrorDetail[]>;
  /** Finds problems of a query that the schema cannot detect, such as an order without an index. */
  explainQuery?: (spec: Spec, query: Readonly<Record<string, unknown>>) => Promise<ErrorDetail[]> | ErrorDetail[];
  /**
   * Called after a write of an organization, unless it was answered with an error. It is also called after a dry run,
   * and if the client disconnected before the response, so possibly nothing was committed. It must be fast and must not
   * throw.
   */
  onWritten?: (orgId: string) => void;
}

/**
 * Time in ms for which an authorization is valid. A body may take longer to arrive, and meanwhile a key may be revoked
 * or a member removed.
 */
const authorizedForMs = 1_000;

/** Returns the handler for all stages of a request, in this order: authorize, limit, read the body, execute, answer. */
export function createRoute<Spec extends BaseSpec, Who>(
  spec: Spec,
  handler: Handler<BaseSpec, Who>,
  api: ApiContext<Spec, Who>,
): RequestHandler {
  const admit = api.admission(spec);
  const names = new Set(Object.keys(spec.body?.shape ?? {}));
  const cut = api.cutsOutputs ? cutTo(spec) : undefined;
  const { authorize, partyOf } = api;
  const writes = spec.method !== 'get' && !spec.onlyReads;
  return async (request, response) => {
    const exchange = response.locals['exchange'] as Exchange;
    exchange.operation = spec.id;
    try {
      let caller = await authorize(spec, request, exchange);
      const authorizedAtMs = performance.now();
      const party = partyOf(request, caller);
      await loopTurns.take(party);
      if (admit) await admit(request, caller, exchange);
      api.unread.requireRoom(party);
      using held = spec.body && api.bodies.hold(party);
      const sent =
        held && (await readJson(request, response, { held, names: api.keepsWholeBodies ? undefined : names }));
      if (performance.now() - authorizedAtMs > authorizedForMs) caller = await authorize(spec, request, exchange);
      const input = await readInput(spec, request, sent, {
        body: (body) => api.explainBody?.(spec, caller, body),
        query: (query) => api.explainQuery?.(spec, query) ?? [],
      });
      api.authorizeBody?.(spec, input.body, caller);
      const context = { caller, log: api.log, exchange };
      const cost = requestCost(spec, input);
      if (cost > 1) exchange.taken?.charge(cost - 1);
      if (spec.isWrite && api.once && isDryRun(input)) {
        const tried = await runDry(spec, handler, input, context, api.once);
        return sendOutput(spec, exchange, markDryRun(tried), { unread: api.unread, party, etag: undefined });
      }
      if (input.idempotencyKey !== undefined && api.once) {
        const { once, unread, checksOutputs } = api;
        const writing = { once, checksOutputs, sent: sent?.identity };
        return sendOnce(exchange, await writeOnce(spec, handler, input, context, writing), { unread, party });
      }
      const given = await handler(input, context);
      if (given instanceof StreamedResponse) return await given.sendTo(exchange);
      const output = cut ? cut(given) : given;
      if (api.checksOutputs) checkOutput(spec, output, input);
      const etag = etagIn(spec, output, input);
      if (etag && spec.method === 'get' && isNamed(request.headers['if-none-match'], etag))
        return sendNotModified(exchange, etag);
      sendOutput(spec, exchange, output, { unread: api.unread, party, etag });
    } catch (error) {
      sendError(exchange, explainBrokenId(error, request.params));
    } finally {
      const orgId = exchange.caller?.orgId;
      if (writes && orgId !== undefined && response.statusCode < 300) api.onWritten?.(orgId);
    }
  };
}

interface Sending {
  unread: UnreadResponses;
  party: Party;
  etag: string | undefined;
}

/** Sends an output. Reads may still be refused for lack of room, but a completed write is always answered. */
function sendOutput(spec: BaseSpec, exchange: Exchange, output: unknown, { unread, party, etag }: Sending) {
  const body = output instanceof SerializedJson ? output : new SerializedJson(output);
  if (spec.method === 'get') unread.requireRoom(party, body.json.length);
  sendJson(exchange, outputStatus(spec, body.value), body, etag === undefined ? {} : { ETag: etag });
  unread.add(party, exchange.response);
}

/** Finds problems that the schemas of an operation cannot detect. */
interface Explain {
  body: (body: object) => Promise<ErrorDetail[]> | undefined;
  query: (query: Readonly<Record<string, unknown>>) => Promise<ErrorDetail[]> | ErrorDetail[];
}

/** Reads query, body and headers, and reports all their problems at once. */
async function readInput(spec: BaseSpec, request: Request, sent: ParsedJson | undefined, explain: Explain) {
  const given = queryOf(request.url);
  const query = readPart('query', spec.query ?? nothing, given);
  const body = spec.body ? readPart('body', spec.body, sent?.value, sent?.unkeptMembers) : undefined;
  const ifMatch = request.headers['if-match'];
  const problems = [...(spec.queryProblems?.(given) ?? []), ...(spec.query ? await explain.query(given) : [])];
  const details = [...withProblems(query.details, problems), ...(body?.details ?? [])];
  if (ifMatch !== undefined && spec.method !== 'get') details.push(...ifMatchDetails(ifMatch, takesIfMatch(spec)));
  const idempotencyKey = spec.isWrite ? readIdempotencyKey(request) : undefined;
  if (isRecord(idempotencyKey)) details.push(idempotencyKey as ErrorDetail);
  if (details.length > 0)
    throw validationError(details.concat(await explained(details, sent?.value, explain.body)), unnamedIn(query, body));
  const params = spec.params?.parse(request.params) ?? {};
  return {
    params,
    query: query.value,
    body: body?.value,
    ifMatch: parseIfMatch(ifMatch),
    idempotencyKey,
  } as OperationInput<BaseSpec>;
}

/**
 * Adds problems of query parameters; an added problem replaces the previous ones of its parameter. An unknown parameter
 * keeps only the problem that it is unknown.
 */
function withProblems(details: readonly ErrorDetail[], problems: readonly ErrorDetail[]): ErrorDetail[] {
  const isUnknown = ({ code }: ErrorDetail) => code === 'unknown_field';
  const unknown = new Set(details.filter(isUnknown).map(({ field }) => field));
  const added = problems.filter((each) => unknown.has(each.field) === isUnknown(each));
  return [...details.filter(({ field }) => !added.some((each) => each.field === field)), ...added];
}

/** Returns problems that only the database knows, for fields that have none yet. */
async function explained(
  details: readonly ErrorDetail[],
  body: unknown,
  explain: Explain['body'],
): Promise<ErrorDetail[]> {
  if (typeof body !== 'object' || body === null) return [];
  const named = new Set(details.map(({ field }) => field));
  return ((await explain(body)) ?? []).filter(({ field }) => !named.has(field));
}

/** Query schema of an operation that accepts no query parameters. */
const nothing = z.strictObject({});

const unnamedIn = (query: ReadPart, body: ReadPart | undefined) => query.unnamed + (body?.unnamed ?? 0);
