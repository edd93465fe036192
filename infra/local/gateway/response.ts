import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { drainBytesMax, drainMaxMs } from '@relata/http';
import { answerHeaders } from './headers.ts';

/** Passes an app's answer to the client, chunk by chunk. */
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

// A client may close its side after its request and still wait for the answer. Only a write shows whether it has left,
// and a stream of events may write nothing for long: a client that closes while a stream is open counts as gone.
function endWhenClientLeaves({ socket }: IncomingMessage, response: ServerResponse): void {
  const leave = () => response.destroy();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}

/** Ends an answer. If the request was not read to its end, the rest is read and discarded. */
export function endAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (!request.readableEnded) drain(request);
  response.end();
}

// Closing while the client still sends would make the kernel reset the connection, and the answer could be lost. So the
// rest is read and discarded for a limited time; where the answer was the last on its connection, only the gateway's
// side is closed until then.
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

/** Writes the last bytes on a connection, and closes it after the client has had time to read them. */
export function endConnection(socket: Socket, lastBytes: Buffer | string): void {
  const cut = setTimeout(() => socket.destroy(), drainMaxMs).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.end(lastBytes);
}
