import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { drainBytesMax, drainMaxMs } from '@relata/http';
import { answerHeaders } from './headers.ts';

/** Hands an app's answer to the client, piece by piece. */
export function passAnswer(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', answerHeaders(answer));
  answer.once('end', () => endAnswer(request, response));
  answer.once('close', () => answer.complete || response.destroy());
  answer.pipe(response, { end: false });
  if (answer.headers['content-length'] === undefined) endWhenClientLeaves(request, response);
  // A stream's headers go out before its first event; an answer whose body is here already leaves in one piece.
  setImmediate(() => !response.writableEnded && response.flushHeaders());
}

// A client may close its side when it has said all, and still wait for its answer. From
// one that has left this cannot be told, except by writing; and a stream of events may
// be silent for long. So when its client closes while it is open, nobody is listening.
function endWhenClientLeaves({ socket }: IncomingMessage, response: ServerResponse): void {
  const leave = () => response.destroy();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}

/** Ends an answer, which may come before the request was read to its end: then the rest is let by. */
export function endAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (!request.readableEnded) drain(request);
  response.end();
}

// Closing while the client still sends would make the kernel reset the connection, and
// the answer could be lost. So the rest is read and thrown away for a while; and where
// the answer was the last on its connection, only our side of it is closed meanwhile.
function drain(request: IncomingMessage): void {
  const { socket } = request;
  const cut = setTimeout(() => socket.destroy(), drainMaxMs).unref();
  socket.destroySoon = () => void socket.end();
  request.once('end', () => {
    clearTimeout(cut);
    socket.destroySoon = Socket.prototype.destroySoon;
    if (socket.writableEnded) socket.destroySoon();
  });
  request.unpipe();
  let left = drainBytesMax;
  request.on('data', (chunk: Buffer) => (left -= chunk.length) < 0 && socket.destroy());
  request.resume();
}

/** Writes the last there is to say on a connection, and closes it when the client has had the time to read it. */
export function endConnection(socket: Socket, lastBytes: Buffer | string): void {
  const cut = setTimeout(() => socket.destroy(), drainMaxMs).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.end(lastBytes);
}
