import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { drainBytesMax, drainMaxMs } from '@relata/http';
import { responseHeaders } from './headers.ts';

/** Passes an app's answer to the client, chunk by chunk. */
export function forwardResponse(
  upstreamResponse: IncomingMessage,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.sendDate = false;
  response.writeHead(
    upstreamResponse.statusCode ?? 502,
    upstreamResponse.statusMessage ?? '',
    responseHeaders(upstreamResponse),
  );
  upstreamResponse.once('end', () => endResponse(request, response));
  upstreamResponse.once('close', () => upstreamResponse.complete || response.destroy());
  upstreamResponse.pipe(response, { end: false });
  if (upstreamResponse.headers['content-length'] === undefined) endWhenClientLeaves(request, response);
  // The headers of a stream are sent before its first event. If the body has already arrived, headers and body are sent
  // together.
  setImmediate(() => !response.writableEnded && response.flushHeaders());
}

// Ends a stream when the client closes its side. Usually such a client may still wait for the response, and only a
// write shows whether it has disconnected. But a stream of events may write nothing for a long time, so for streams a
// closed side counts as a disconnect.
function endWhenClientLeaves({ socket }: IncomingMessage, response: ServerResponse): void {
  const leave = () => response.destroy();
  socket.once('end', leave);
  response.once('close', () => socket.off('end', leave));
}

/** Ends a response. If the request was not read completely, reads and discards the rest. */
export function endResponse(request: IncomingMessage, response: ServerResponse): void {
  if (!request.readableEnded) drain(request);
  response.end();
}

// Reads and discards the rest of a request for a limited time. Closing while the client still sends would make the
// kernel reset the connection, and the response could be lost. After the last response on a connection, the gateway
// first closes only its own side, until the rest has been read.
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
