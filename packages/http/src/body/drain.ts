import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Maximum size of the part of a body that is read after its response, so that the client gets to read the response. The
 * connection of a longer body is closed.
 */
export const drainBytesMax = 8_388_608;
export const drainMaxMs = 5_000;

const tickMs = 10;
/**
 * Maximum number of bodies that are read as fast as they arrive. With hundreds, all requests would be delayed by a
 * second.
 */
const flowingMax = 4;
/** Maximum number of pieces read per tick from all other bodies. With pieces of 64 KB, that is 400 MB per second. */
const piecesPerTick = 64;
/**
 * Maximum number of draining bodies. Each holds one or two pieces of 64 KB while it waits for its turn: 32 MB in total.
 * Beyond this number, the connection whose last turn was longest ago is closed, so that many refused bodies of one
 * sender do not cut off the responses to all other senders at once.
 */
export const drainingMax = 256;

interface RefusedBody {
  request: IncomingMessage;
  isFlowing: boolean;
  bytesBefore: number;
  until: number;
}

const draining = new Set<RefusedBody>();
let flowing = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Limits how much more is read of a request that is answered before it has arrived completely. Call it before the
 * answer ends.
 */
export function boundDrain(response: ServerResponse): void {
  const { req: request } = response;
  // Begins to read, since Node would otherwise discard the rest as fast as it arrives.
  request.pause().read();
  response.once('finish', () => {
    if (draining.size >= drainingMax) cutOff(draining.values().next().value!);
    const bytesBefore = request.socket.bytesRead;
    draining.add({ request, isFlowing: false, bytesBefore, until: performance.now() + drainMaxMs });
    timer ??= setInterval(tick, tickMs).unref();
  });
}

function cutOff(each: RefusedBody): void {
  draining.delete(each);
  if (each.isFlowing) flowing--;
  each.request.socket.destroy();
}

/** Reads a piece of each of the bodies whose turn it is. */
function tick(): void {
  const turns = [...draining.values().take(piecesPerTick)];
  for (const each of turns) {
    draining.delete(each);
    if (drainPiece(each)) draining.add(each);
    else if (each.isFlowing) flowing--;
  }
  if (draining.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Reads a piece of a body; returns true if there is more to read. */
function drainPiece(each: RefusedBody): boolean {
  const { request, bytesBefore, until } = each;
  const { socket } = request;
  if (request.complete) request.resume();
  else if (socket.bytesRead - bytesBefore > drainBytesMax || performance.now() > until) socket.destroy();
  else if (!each.isFlowing) readPiece(each);
  return !request.complete && !socket.destroyed;
}

function readPiece(each: RefusedBody): void {
  if (flowing >= flowingMax) return void each.request.read();
  each.isFlowing = true;
  flowing++;
  each.request.resume();
}
