import type { ServerResponse } from 'node:http';
import { passTraceOn } from '@relata/telemetry';
import { DisconnectedError, type Log } from '@relata/runtime';
import { errorBody } from '@relata/schemas/errors';
import { RequestTimeoutError } from '../body/body-rate.ts';
import { boundDrain } from '../body/drain.ts';
import { errorResponseFor } from '../responses/error-response.ts';
import { formatEtag } from '../responses/etag.ts';
import { type ErrorFormat, refuseProtocol } from '../responses/protocol-error.ts';
import type { ShutdownState } from '../server/server.ts';
import { SerializedJson } from '../responses/serialized-json.ts';
import type { Taken } from '../limits/shared-limit.ts';

/** The caller of a request, for the log. */
type LoggedCaller = { orgId?: string | undefined; keyId?: string | null; personId?: string };

export interface RequestIds {
  requestId: string;
  traceId: string;
}

/**
 * State of a request and its response. It is a class, because V8 would create a hidden class per request for an object
 * literal with getters.
 */
export class Exchange {
  readonly requestId: string;
  /** Trace id of the log lines of the request and of the work that it begins; 32 hexadecimal digits. */
  readonly traceId: string;
  readonly startedAt = performance.now();
  readonly response: ServerResponse;
  readonly log: Log;
  readonly #draining: ShutdownState;
  operation = 'none';
  caller: LoggedCaller | undefined = undefined;
  /** Undefined if the request does not count against a rate limit. */
  taken: Taken | undefined = undefined;
  /** Level of the request's log line: `debug` for health checks. */
  logLevel: 'info' | 'debug' = 'info';
  /** True if the client disconnected before its response was sent. */
  hasLeft = false;
  /** Called if the client disconnects before its response is sent. */
  onLeft: (() => void) | undefined = undefined;
  /** Request headers on which the response depends. */
  vary = 'X-Api-Key, Authorization';

  constructor({ requestId, traceId }: RequestIds, response: ServerResponse, log: Log, draining: ShutdownState) {
    this.requestId = requestId;
    this.traceId = traceId;
    this.response = response;
    this.log = log;
    this.#draining = draining;
  }

  /** Ids in every log line of the request. */
  get logIds() {
    return { request_id: this.requestId, trace_id: this.traceId };
  }

  /** Value of the header `traceparent` for work that the request begins without a span. */
  get traceparent(): string {
    const received = this.response.req.headers['traceparent'];
    return passTraceOn(this.traceId, typeof received === 'string' ? received : undefined);
  }

  /** True once the server is stopping: connections then end with their response. */
  get isStopping(): boolean {
    return this.#draining.isDraining;
  }

  /** Aborted once the server is stopping. */
  get stopping(): AbortSignal {
    return this.#draining.stopping.signal;
  }

  /** Ends the exchange. Called when the response has been sent or the connection is closed. */
  close(): void {
    if (this.response.writableFinished) return;
    this.hasLeft = true;
    this.onLeft?.();
  }
}

type Headers = Record<string, string | number>;

/** Sends a JSON answer for this caller only: no cache may store it. */
export function sendJson(exchange: Exchange, status: number, body: unknown, headers: Headers = {}): void {
  const { response } = exchange;
  // The client has disconnected, or a response has already begun.
  if (response.headersSent || response.destroyed) return;
  const { json } = body instanceof SerializedJson ? body : new SerializedJson(body);
  headers['Content-Type'] = 'application/json';
  headers['Cache-Control'] = 'private, no-store';
  headers['Content-Length'] = Buffer.byteLength(json);
  addExchangeHeaders(exchange, headers);
  if (!response.req.complete) boundDrain(response);
  response.writeHead(status, headers).end(json);
}

/** Sends plain text for this caller only. */
export function sendText(exchange: Exchange, status: number, text: string): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers: Headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-store',
    'Content-Length': Buffer.byteLength(text),
  };
  addExchangeHeaders(exchange, headers);
  if (!response.req.complete) boundDrain(response);
  response.writeHead(status, headers).end(text);
}

/** Sends 304: the client already has this version. The request does not count against its limit. */
export function sendNotModified(exchange: Exchange, etag: string): void {
  const { response, taken } = exchange;
  if (response.headersSent || response.destroyed) return;
  taken?.giveBack();
  const headers: Headers = { ETag: etag, 'Cache-Control': 'private, no-store' };
  addExchangeHeaders(exchange, headers);
  response.writeHead(304, headers).end();
}

/** Adds the headers that every response has. */
function addExchangeHeaders({ requestId, taken, vary, isStopping }: Exchange, headers: Headers): void {
  headers['X-Request-Id'] = requestId;
  headers['Vary'] = vary;
  if (taken) addRateLimitHeaders(headers, taken);
  if (isStopping) headers['Connection'] = 'close';
}

/** Adds the remaining limit to headers, in both forms that clients read. */
function addRateLimitHeaders(headers: Headers, taken: Taken): void {
  const { limit, remaining, resetSeconds } = taken;
  headers['RateLimit-Limit'] = limit.points;
  headers['RateLimit-Remaining'] = remaining;
  headers['RateLimit-Reset'] = resetSeconds;
  headers['RateLimit-Policy'] = limit.policy.field;
  headers['RateLimit'] = `"${limit.policy.name}";r=${remaining};t=${resetSeconds}`;
}

/** Sets the headers that every response has, for a response whose head is written elsewhere. */
export function setExchangeHeaders(exchange: Exchange): void {
  const headers: Headers = {};
  addExchangeHeaders(exchange, headers);
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
}

/** Sends an error; an internal error is logged once, with its cause. */
export function sendError(exchange: Exchange, thrown: unknown, headers: Headers = {}): void {
  if (thrown instanceof RequestTimeoutError) return sendTimeout(exchange, 'api');
  // Nobody waits for the response any more, so nothing is sent or logged.
  if (thrown instanceof DisconnectedError) return;
  const { error, fault } = errorResponseFor(thrown);
  const { requestId, operation } = exchange;
  if (fault !== undefined) exchange.log.error({ err: fault, ...exchange.logIds, operation }, error.message);
  if (error.challenge !== undefined) headers['WWW-Authenticate'] = error.challenge;
  if (error.updatedAt !== undefined) headers['ETag'] = formatEtag(error.updatedAt);
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  sendJson(exchange, error.status, errorBody(error, requestId), headers);
}

/** Sends 408 for a body that arrived too slowly, and closes the connection. */
export function sendTimeout({ response, requestId }: Exchange, format: ErrorFormat): void {
  refuseProtocol(response, 408, format, requestId);
}
