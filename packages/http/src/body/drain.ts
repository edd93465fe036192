import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is read of a body after its answer, so that the client gets to read that; more is cut off. */
export const drainBytesMax = 8_388_608;
export const drainMaxMs = 5_000;

const tickMs = 10;
/** So many bodies are read as they come; hundreds, read like that, would delay all requests by a second. */
const flowingMax = 4;
/** Of the others, pieces of at most 64 KB that are read in one tick, all together: 400 MB a second. */
const piecesPerTick = 64;
/**
 * Each holds a piece or two of 64 KB while it waits for its turn: 32 MB. Of more, the connection is closed that has waited the
 * longest since its turn, so that many refused bodies of one sender cut off nobody's answer at once.
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

/** Bounds what is read of a request that was answered before it was there. Call it before the answer is ended. */
export function boundDrain(response: ServerResponse): void {
  const { req: request } = response;
  // Node discards the rest as fast as it comes, unless reading has begun.
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

/** Bodies take turns, a piece of each at a time. */
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

/** Returns true if there is more to read. */
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
