import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { protocolAnswerBytes, type ProtocolStatus } from '@relata/http';
import { sendMalformed } from './gateway.refusal.ts';
import { endAnswer, endConnection } from './gateway.response.ts';

interface Newest {
  request: IncomingMessage;
  response: ServerResponse;
}

const statusOf: Record<string, ProtocolStatus> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what no app should see in the shape of the errors; Node's own answers have no body. */
export function refuseMalformed(server: Server): void {
  const newest = new WeakMap<Socket, Newest>();
  server.prependListener('request', (request, response) => newest.set(request.socket, { request, response }));
  server.on('checkExpectation', (request, response) => refuse({ request, response }, 417));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    onClientError(socket, statusOf[error.code ?? ''] ?? 400, newest.get(socket));
  });
}

/** Answers a request in the place of the app. */
export function refuse({ request, response }: Newest, status: ProtocolStatus): void {
  sendMalformed(response, status);
  endAnswer(request, response);
}

// What is wrong is either the head of a new request, or the body of the newest.
function onClientError(socket: Socket, status: ProtocolStatus, newest: Newest | undefined): void {
  // More of what was refused already; it is read only so that the client gets to read the answer.
  if (socket.writableEnded && !socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  if (!newest || isOver(newest)) return endConnection(socket, protocolAnswerBytes(status));
  const { request, response } = newest;
  // Its turn has not come, or its answer is under way, and a second one would run into it.
  if (response.socket !== socket || response.headersSent) return void socket.destroy();
  if (!request.complete) return refuse(newest, status);
  // Behind a whole request comes nonsense: its answer is the last on this connection.
  response.shouldKeepAlive = false;
}

function isOver({ request, response }: Newest): boolean {
  return request.complete && response.writableFinished;
}
