import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readTraceparent, toTraceId } from '@relata/telemetry';

const sane = /^[\w.:/+=@-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is safe in a log and a header; otherwise a new id. */
export function readRequestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

/**
 * Returns the trace id for the log lines of a request without a span: the caller's, otherwise one from the request id.
 */
export function readTraceId({ headers: { traceparent } }: IncomingMessage, requestId: string): string {
  const caller = typeof traceparent === 'string' ? readTraceparent(traceparent) : undefined;
  return caller?.traceId ?? toTraceId(requestId) ?? toTraceId(randomUUID())!;
}
