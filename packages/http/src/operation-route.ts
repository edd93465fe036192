import { parse as parseQuery } from 'node:querystring';
import type { Caller, Keyring } from '@relata/auth';
import type { Log, Metrics } from '@relata/runtime';
import {
  AppError,
  detailsOf,
  type ErrorDetail,
  type OperationInput,
  type OperationOutput,
  type OperationSpec,
  validationError,
} from '@relata/schemas';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Admission } from './admission.ts';
import { readJson } from './body.ts';
import { requireOrigin } from './cors.ts';
import { type Exchange, sendError, sendJson } from './exchange.ts';
import { keyOf } from './key-of-request.ts';
import { SharedAnswer } from './shared-answer.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/** What a handler is given beside the parsed request. */
export interface HandlerContext {
  caller: Caller;
  log: Log;
  exchange: Exchange;
}

export type Handler<Spec extends OperationSpec> = (
  input: OperationInput<Spec>,
  context: HandlerContext,
) => Promise<OperationOutput<Spec> | SharedAnswer<OperationOutput<Spec>> | StreamedAnswer>;

/** A handler for every operation of a list; one that is missing does not compile. */
export type Handlers<Operations extends Record<string, OperationSpec>> = {
  [Id in keyof Operations]: Handler<Operations[Id]>;
};

export interface ApiContext {
  keyring: Keyring;
  /** What an operation's callers must keep to, beyond having the right key; nothing where there is no limit. */
  admission: (spec: OperationSpec) => Admission | null;
  log: Log;
  metrics: Metrics;
  /** Checks what handlers answer against the operation; for tests and development. */
  checksAnswers: boolean;
  /** What else is wrong with a body that breaks a rule, as far as only the database can tell. */
  explainBody?: (spec: OperationSpec, caller: Caller, body: object) => Promise<ErrorDetail[]>;
}

/** The whole life of a request: who, may they, how often, what do they send, do it, answer. In this order. */
export function routeOf(spec: OperationSpec, handler: Handler<OperationSpec>, api: ApiContext): RequestHandler {
  const admit = api.admission(spec);
  return async (request, response) => {
    const exchange = response.locals['exchange'] as Exchange;
    exchange.operation = spec.id;
    try {
      const caller = await authorize(spec, request, exchange, api);
      if (admit) await admit(request, caller, exchange);
      const input = await readInput(spec, request, response, (body) => api.explainBody?.(spec, caller, body));
      const answer = await handler(input, { caller, log: api.log, exchange });
      if (answer instanceof StreamedAnswer) return await answer.sendTo(exchange);
      if (api.checksAnswers) checkAnswer(spec, answer);
      sendJson(exchange, spec.success.status, answer);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

async function authorize(spec: OperationSpec, request: Request, exchange: Exchange, api: ApiContext): Promise<Caller> {
  const key = keyOf(request);
  const identified = key === undefined ? undefined : api.keyring.identify(key);
  const caller = identified instanceof Promise ? await identified : identified;
  if (!caller) throw new AppError('unauthorized', 'The API key is missing or not valid.');
  exchange.caller = caller;
  requireOrigin(caller, request, exchange.response);
  if (spec.scope !== null && !caller.scopes.has(spec.scope))
    throw new AppError('forbidden', `The API key lacks the scope ${spec.scope}.`);
  return caller;
}

type ExplainBody = (body: object) => Promise<ErrorDetail[]> | undefined;

/** All problems of query and body are told at once. */
async function readInput(spec: OperationSpec, request: Request, response: Response, explain: ExplainBody) {
  const sent = spec.body ? await readJson(request, response) : undefined;
  const query = readPart('query', spec.query, queryOf(request.url));
  const body = spec.body ? readPart('body', spec.body, sent) : undefined;
  const details = query.details.concat(body?.details ?? []);
  if (details.length > 0) throw validationError(details.concat(await unnamed(details, sent, explain)));
  const params = spec.params?.parse(request.params) ?? {};
  return { params, query: query.value, body: body?.value } as OperationInput<OperationSpec>;
}

/** What only the database can tell, of fields that nothing was said of yet. */
async function unnamed(details: readonly ErrorDetail[], body: unknown, explain: ExplainBody): Promise<ErrorDetail[]> {
  if (typeof body !== 'object' || body === null) return [];
  const named = new Set(details.map(({ field }) => field));
  return ((await explain(body)) ?? []).filter(({ field }) => !named.has(field));
}

function queryOf(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  // Node leaves out what comes after a thousand parameters unless told otherwise; the length of a URL is bounded anyway.
  return start < 0 ? {} : parseQuery(url.slice(start + 1), '&', '=', { maxKeys: 0 });
}

interface ReadPart {
  value: unknown;
  details: ErrorDetail[];
}

/** An operation without a query takes none. */
const nothing = z.strictObject({});

function readPart(part: 'query' | 'body', schema: OperationSpec['query'] = nothing, input: unknown): ReadPart {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { value: parsed.data, details: [] };
  return { value: undefined, details: detailsOf(part, parsed.error.issues, input) };
}

function checkAnswer(spec: OperationSpec, answer: unknown): void {
  const parsed = spec.success.body?.safeParse(answer instanceof SharedAnswer ? answer.value : answer);
  if (parsed && !parsed.success) throw new Error(`${spec.id} answered against its schema: ${parsed.error.message}`);
}
