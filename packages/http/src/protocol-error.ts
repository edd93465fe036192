import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorBody } from '@relata/schemas';

const statuses: Record<string, ProtocolStatus> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

const messages = {
  400: 'The request is not valid HTTP.',
  408: 'The request did not arrive in time.',
  413: 'The extensions of the chunks are too long.',
  417: 'The only expectation that can be met is 100-continue.',
  431: 'The headers are longer than 16 KB.',
};

export type ProtocolStatus = keyof typeof messages;

/** Answers what Node could not even read as a request, in the manner of the API; Node's own answer is empty. */
export function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  const isAnswering = '_httpMessage' in socket && socket._httpMessage;
  // An answer is under way on this connection: another one would stand in the middle of it.
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') return void socket.destroy();
  const status = statuses[error.code ?? ''] ?? 400;
  socket.end(protocolAnswerBytes(status));
}

export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, text } = protocolAnswer(417);
  response.writeHead(417, headers).end(text);
}

/** The answer to what is no request, in the manner of the API. It is the last on its connection. */
export function protocolAnswer(status: ProtocolStatus) {
  const body: ErrorBody = { error: 'validation_error', message: messages[status], request_id: randomUUID() };
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': body.request_id,
    Connection: 'close',
  };
  return { headers, text };
}

/** The same as bytes, for what could not even be read as a request. */
export function protocolAnswerBytes(status: ProtocolStatus): string {
  const { headers, text } = protocolAnswer(status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
