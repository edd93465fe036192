import type { IncomingMessage, ServerResponse } from 'node:http';

// These describe one connection, not the answer (RFC 9110, section 7.6.1).
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);
const lingerMs = 3_000;

/** Hands an app's answer to the client as it is: header names, order and repetitions too. */
export function passResponse(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', passedHeaders(answer.rawHeaders));
  answer.on('end', () => endAfterRequest(request, response));
  answer.pipe(response, { end: false });
  // A stream's headers go out before its first event; an answer whose body is here already leaves in one piece.
  setImmediate(() => !response.writableEnded && response.flushHeaders());
}

function passedHeaders(raw: readonly string[]): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!connectionHeaders.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}

/**
 * Ends an answer that may have come before the request was read to its end. Closing at
 * once would make the kernel reset the connection, and a client that is still sending
 * would lose the answer; so the rest is read and thrown away for a while.
 */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.destroyed) return void response.end();
  const end = () => response.end();
  const timer = setTimeout(() => {
    response.shouldKeepAlive = false;
    end();
    request.destroy();
  }, lingerMs);
  request.once('end', end).once('close', () => clearTimeout(timer));
  response.once('close', () => clearTimeout(timer));
  request.unpipe();
  request.resume();
}
