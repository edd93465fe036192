import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorBody } from '@relata/schemas';

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

const messages: Record<number, string> = {
  400: 'This is not a valid HTTP request.',
  408: 'The request did not arrive in time.',
  417: 'Only Expect: 100-continue is understood.',
  431: 'The headers are too large.',
};

/** Answers what Node could not even read as a request, in the manner of the API; Node's own answer is empty. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  const isAnswering = '_httpMessage' in socket && socket._httpMessage;
  // An answer is under way on this connection: another one would stand in the middle of it.
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') return void socket.destroy();
  const status = statuses[error.code ?? ''] ?? 400;
  const { headers, text } = answerOf(status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
}

export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, text } = answerOf(417);
  response.writeHead(417, headers).end(text);
}

function answerOf(status: number): { headers: Record<string, string | number>; text: string } {
  const request_id = randomUUID();
  const body: ErrorBody = { error: 'validation_error', message: messages[status]!, request_id };
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': request_id,
    Connection: 'close',
  };
  return { headers, text };
}
