import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { protocolResponseBytes, type ProtocolStatus, protocolStatus } from '@relata/http';
import { errorFormatOf, sendMalformed } from './refusal.ts';
import { endResponse, endConnection } from './response.ts';

interface Newest {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Node's error for bytes that it could not parse as a request. */
interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/**
 * Answers malformed requests in the service's error format. No app gets these requests, and Node's own responses have
 * no body.
 */
export function refuseMalformed(server: Server): void {
  const newest = new WeakMap<Socket, Newest>();
  for (const event of ['request', 'checkContinue'])
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      newest.set(request.socket, { request, response });
    });
  server.on('checkExpectation', (request, response) => refuse({ request, response }, 417));
  server.on('clientError', (error: ClientError, socket: Socket) => onClientError(error, socket, newest.get(socket)));
}

/** Refuses a request in place of the app. */
export function refuse({ request, response }: Newest, status: ProtocolStatus): void {
  sendMalformed(response, status);
  endResponse(request, response);
}

// The malformed bytes are either the head of a new request or part of the body of the newest request.
function onClientError(error: ClientError, socket: Socket, newest: Newest | undefined): void {
  const status = protocolStatus(error);
  // More bytes of a request that was already refused. They are read only so that the client can read the response.
  if (socket.writableEnded && !socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  if (!newest || isOver(newest)) {
    return endConnection(socket, protocolResponseBytes(status, errorFormatOf(targetOf(error))));
  }
  const { request, response } = newest;
  // The response to this or an earlier request is still being sent, and a second response would corrupt it.
  if (response.socket !== socket || response.headersSent) return void socket.destroy();
  if (!request.complete) return refuse(newest, status);
  // The request is complete, but the bytes after it are malformed. Its response is therefore the last on this
  // connection.
  response.shouldKeepAlive = false;
}

/** Returns the path that the malformed bytes seem to request. */
function targetOf({ rawPacket }: ClientError): string | undefined {
  return /^\S+ (\S{1,2048})/.exec(rawPacket?.toString('latin1', 0, 4_096) ?? '')?.[1];
}

function isOver({ request, response }: Newest): boolean {
  return request.complete && response.writableFinished;
}
