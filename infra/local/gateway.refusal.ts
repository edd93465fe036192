import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { appFor } from './gateway.routes.ts';

// The same that the apps keep.
const saneRequestId = /^[\w.:/+=@-]{1,128}$/;

const messages = {
  400: 'The request is not valid HTTP.',
  408: 'The request did not arrive in time.',
  413: 'The extensions of the chunks are too long.',
  417: 'The only expectation that can be met is 100-continue.',
  431: 'The headers are longer than 16 KB.',
};

export type MalformedStatus = keyof typeof messages;

/** The start of the gateway's own answer while an app is away, in the shape that the app's own errors have. */
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

/** The start of the answer to a request that no app gets to see. It is the last on its connection. */
export function sendMalformed(response: ServerResponse, status: MalformedStatus): void {
  const { headers, body } = malformed(status);
  response.writeHead(status, headers);
  response.write(body);
}

/** The same as bytes, for what could not even be read as a request. */
export function malformedBytes(status: MalformedStatus): string {
  const { headers, body } = malformed(status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function malformed(status: MalformedStatus) {
  const requestId = randomUUID();
  const body = JSON.stringify({ error: 'validation_error', message: messages[status], request_id: requestId });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, body };
}
