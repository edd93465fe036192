import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { appFor } from './gateway.routes.ts';

// The same that the apps keep.
const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

/** The answer of the gateway itself while an app is away, in the shape that the app's own errors have. */
export function sendUnavailable(request: IncomingMessage, response: ServerResponse): void {
  const given = String(request.headers['x-request-id'] ?? '');
  const requestId = saneRequestId.test(given) ? given : randomUUID();
  const body = Buffer.from(JSON.stringify(unavailableBody(request.url ?? '', requestId)));
  response.writeHead(503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Retry-After': '1',
    'X-Request-Id': requestId,
  });
  response.write(body);
}

function unavailableBody(url: string, requestId: string): Record<string, string> {
  if (appFor(url) === 'webhook-ingest') return { error: 'service unavailable, try again later' };
  const message = 'This part of the service is starting. Try again in a moment.';
  return { error: 'service_unavailable', message, request_id: requestId };
}
