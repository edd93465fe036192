import type { ServerResponse } from 'node:http';
import { ReadersLeftError, type Log } from '@relata/runtime';
import { errorBody } from '@relata/schemas/errors';
import { RequestTimeoutError } from '../body/body-pace.ts';
import { boundDrain } from '../body/drain.ts';
import { answerFor } from '../answers/error-answer.ts';
import { etagOf } from '../answers/etag.ts';
import { type ErrorManner, refuseProtocol } from '../answers/protocol-error.ts';
import type { Draining } from '../server/server.ts';
import { SerializedJson } from '../answers/serialized-json.ts';
import { addRateLimitHeaders } from '../limits/rate-limit-headers.ts';
import type { Taken } from '../limits/shared-limit.ts';

/** The caller of a request, as the log names it. */
type LoggedCaller = { orgId?: string | undefined; keyId?: string | null; personId?: string };

/**
 * One request and its answer, as far as they have come. A class, because an object literal with getters would be
 * given a hidden class of its own for every request.
 */
export class Exchange {
  readonly requestId: string;
  readonly startedAt = performance.now();
  readonly response: ServerResponse;
  readonly log: Log;
  readonly #draining: Draining;
  operation = 'none';
  caller: LoggedCaller | undefined = undefined;
  taken: Taken | undefined = undefined;
  /** Gives back what it has taken of its limit. */
  giveBack: (() => void) | undefined = undefined;
  /** Takes more of its limit, and more than there is: what it does counts as that many requests. */
  charge: ((requests: number) => void) | undefined = undefined;
  /** The level of its line in the log: `debug` for health checks. */
  logLevel: 'info' | 'debug' = 'info';
  /** True once the client has left before its answer. */
  hasLeft = false;
  /** Called when the client leaves before its answer. */
  onLeft: (() => void) | undefined = undefined;
  /** The request headers that the answer depends on. */
  vary = 'X-Api-Key, Authorization';

  constructor(requestId: string, response: ServerResponse, log: Log, draining: Draining) {
    this.requestId = requestId;
    this.response = response;
    this.log = log;
    this.#draining = draining;
  }

  /** True once the server is stopping: connections end with their answer. */
  get isStopping(): boolean {
    return this.#draining.isDraining;
  }

  /** Aborted once the server is stopping. */
  get stopping(): AbortSignal {
    return this.#draining.stopping.signal;
  }

  /** The connection was closed, or the answer is sent. */
  close(): void {
    if (this.response.writableFinished) return;
    this.hasLeft = true;
    this.onLeft?.();
  }
}

type Headers = Record<string, string | number>;

/** Answers in JSON, for this caller alone: no cache on the way may keep it. */
export function sendJson(exchange: Exchange, status: number, body: unknown, headers: Headers = {}): void {
  const { response } = exchange;
  // The client has left, or the answer has begun: it is too late for another one.
  if (response.headersSent || response.destroyed) return;
  const { json } = body instanceof SerializedJson ? body : new SerializedJson(body);
  headers['Content-Type'] = 'application/json';
  headers['Cache-Control'] = 'private, no-store';
  headers['Content-Length'] = Buffer.byteLength(json);
  addExchangeHeaders(exchange, headers);
  if (!response.req.complete) boundDrain(response);
  response.writeHead(status, headers).end(json);
}

/** The client has this version already: its request counts for nothing. */
export function sendNotModified(exchange: Exchange, etag: string): void {
  const { response, taken } = exchange;
  if (response.headersSent || response.destroyed) return;
  if (taken && exchange.giveBack) {
    exchange.giveBack();
    taken.remaining++;
  }
  const headers: Headers = { ETag: etag, 'Cache-Control': 'private, no-store' };
  addExchangeHeaders(exchange, headers);
  response.writeHead(304, headers).end();
}

/** What every answer says of its request. */
function addExchangeHeaders({ requestId, taken, vary, isStopping }: Exchange, headers: Headers): void {
  headers['X-Request-Id'] = requestId;
  headers['Vary'] = vary;
  if (taken) addRateLimitHeaders(headers, taken);
  if (isStopping) headers['Connection'] = 'close';
}

/** The same for an answer whose head is written elsewhere. */
export function setExchangeHeaders(exchange: Exchange): void {
  const headers: Headers = {};
  addExchangeHeaders(exchange, headers);
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
}

/** Answers with an error; an internal error is logged once, with its cause. */
export function sendError(exchange: Exchange, thrown: unknown, headers: Headers = {}): void {
  if (thrown instanceof RequestTimeoutError) return sendTimeout(exchange, 'api');
  // Nobody wants the answer any more: nothing is sent, and nothing is logged as an error.
  if (thrown instanceof ReadersLeftError) return;
  const { error, fault } = answerFor(thrown);
  const { requestId, operation } = exchange;
  if (fault !== undefined) exchange.log.error({ err: fault, request_id: requestId, operation }, error.message);
  if (error.challenge !== undefined) headers['WWW-Authenticate'] = error.challenge;
  if (error.updatedAt !== undefined) headers['ETag'] = etagOf(error.updatedAt);
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  sendJson(exchange, error.status, errorBody(error, requestId), headers);
}

/** Answers a body that came too slowly; it is the last answer on its connection. */
export function sendTimeout({ response, requestId }: Exchange, manner: ErrorManner): void {
  refuseProtocol(response, 408, manner, requestId);
}
