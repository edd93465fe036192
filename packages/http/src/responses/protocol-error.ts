import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from '@relata/schemas/errors';

const statuses: Record<string, ProtocolStatus> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const messages = {
  400: 'The request is not valid HTTP. If its URL has spaces or accents, percent-encode them.',
  408: 'The request did not arrive in time.',
  413: 'The chunk extensions are too long.',
  417: 'The only supported value of the header Expect is 100-continue.',
  431: 'The headers are longer than 16 KB.',
};

export type ProtocolStatus = keyof typeof messages;

/** Format of errors: that of the REST API, or an object with only a message for the webhook receiver. */
export type ErrorFormat = 'api' | 'webhook';

/** Returns the status of the response to bytes that Node could not parse as a request. */
export function protocolStatus({ code = '' }: Error & { code?: string }): ProtocolStatus {
  return statuses[code] ?? 400;
}

/** Answers bytes that Node could not parse as a request. Node's own response would have no body. */
export function respondToClientError(format: ErrorFormat) {
  return (error: Error & { code?: string }, socket: Duplex): void => {
    const isResponding = '_httpMessage' in socket && socket._httpMessage;
    // A second response would be written into the middle of the one in progress.
    if (!socket.writable || isResponding || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(protocolResponseBytes(protocolStatus(error), format));
  };
}

/** Answers a request that violates HTTP and therefore does not reach the app. */
export function refuseProtocol(
  response: ServerResponse,
  status: ProtocolStatus,
  format: ErrorFormat,
  requestId?: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const { headers, text } = protocolResponse(status, format, requestId);
  response.writeHead(status, headers).end(text);
}

/** Creates the response to a request that violates HTTP. The connection is closed after it. */
export function protocolResponse(status: ProtocolStatus, format: ErrorFormat, requestId: string = randomUUID()) {
  const message = messages[status];
  const isApi = format === 'api';
  const text = JSON.stringify(isApi ? errorBody({ code: 'validation_error', message }, requestId) : { error: message });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers, text };
}

/** Like protocolResponse, but returns the raw response, for a connection without a parsed request. */
export function protocolResponseBytes(status: ProtocolStatus, format: ErrorFormat): string {
  const { headers, text } = protocolResponse(status, format);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
