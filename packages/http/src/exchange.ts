import type { ServerResponse } from 'node:http';
import type { Caller } from '@relata/auth';
import type { Log } from '@relata/runtime';
import type { ErrorBody } from '@relata/schemas';
import { answerFor } from './error-answer.ts';
import type { Taken } from './shared-limit.ts';

/** One request and its answer, as far as they have come. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  readonly response: ServerResponse;
  readonly log: Log;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Whether the server is stopping: connections end with their answer. */
  readonly isStopping: boolean;
  operation: string;
  caller: Caller | undefined;
  taken: Taken | undefined;
}

type Headers = Record<string, string | number>;

export function sendJson(exchange: Exchange, status: number, body: unknown, headers: Headers = {}): void {
  const { response, taken } = exchange;
  // The client has gone, or the answer has begun: nothing can be said any more.
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  headers['Content-Type'] = 'application/json';
  headers['Content-Length'] = bytes.length;
  headers['X-Request-Id'] = exchange.requestId;
  if (taken) {
    headers['RateLimit-Limit'] = taken.limit;
    headers['RateLimit-Remaining'] = taken.remaining;
    headers['RateLimit-Reset'] = taken.resetSeconds;
  }
  if (exchange.isStopping) headers['Connection'] = 'close';
  response.writeHead(status, headers).end(bytes);
}

/** Answers with an error; a fault of ours is logged once, with its cause. */
export function sendError(exchange: Exchange, thrown: unknown, headers: Headers = {}): void {
  const { error, fault } = answerFor(thrown);
  const { requestId, operation } = exchange;
  if (fault !== undefined) exchange.log.error({ err: fault, request_id: requestId, operation }, error.message);
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="relata"';
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = error.retryAfterSeconds;
  const body: ErrorBody = { error: error.code, message: error.message, request_id: requestId };
  if (error.details) body.details = error.details;
  sendJson(exchange, error.status, body, headers);
}
