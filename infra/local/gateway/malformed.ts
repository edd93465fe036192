import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { protocolAnswerBytes, type ProtocolStatus, protocolStatusOf } from '@relata/http';
import { mannerOf, sendMalformed } from './refusal.ts';
import { endAnswer, endConnection } from './response.ts';

interface Newest {
  request: IncomingMessage;
  response: ServerResponse;
}

/** What Node tells of bytes that it could not read as a request. */
interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

/** Answers what no app should see in the shape of the errors; Node's own answers have no body. */
export function refuseMalformed(server: Server): void {
  const newest = new WeakMap<Socket, Newest>();
  for (const event of ['request', 'checkContinue'])
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      newest.set(request.socket, { request, response });
    });
  server.on('checkExpectation', (request, response) => refuse({ request, response }, 417));
  server.on('clientError', (error: ClientError, socket: Socket) => onClientError(error, socket, newest.get(socket)));
}

/** Answers a request in the place of the app. */
export function refuse({ request, response }: Newest, status: ProtocolStatus): void {
  sendMalformed(response, status);
  endAnswer(request, response);
}

// What is wrong is either the head of a new request, or the body of the newest.
function onClientError(error: ClientError, socket: Socket, newest: Newest | undefined): void {
  const status = protocolStatusOf(error);
  // More of what was refused already; it is read only so that the client gets to read the answer.
  if (socket.writableEnded && !socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  if (!newest || isOver(newest)) {
    return endConnection(socket, protocolAnswerBytes(status, mannerOf(targetOf(error))));
  }
  const { request, response } = newest;
  // Its turn has not come, or its answer is under way, and a second one would run into it.
  if (response.socket !== socket || response.headersSent) return void socket.destroy();
  if (!request.complete) return refuse(newest, status);
  // Behind a whole request comes nonsense: its answer is the last on this connection.
  response.shouldKeepAlive = false;
}

/** Where the bytes seem to have been meant to go. */
function targetOf({ rawPacket }: ClientError): string | undefined {
  return /^\S+ (\S{1,2048})/.exec(rawPacket?.toString('latin1', 0, 4_096) ?? '')?.[1];
}

function isOver({ request, response }: Newest): boolean {
  return request.complete && response.writableFinished;
}
