import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue, type Party, Shares } from '@relata/runtime';
import { readClientIp } from '../exchange/client-ip.ts';

/**
 * Maximum number of new connections that are read at the same time, until their first request arrives. Their data is
 * read in one turn of the event loop. Without this limit, thousands of connections, each with a piece of a body,
 * blocked the loop for seconds and held hundreds of megabytes.
 */
const readingMax = 32;
/** Maximum number of waiting connections, at 3 KB each; a single address gets half of them. Further ones are closed. */
const waitingMax = 16_384;
/** Maximum number of waiting connections that start being read in one turn of the loop; 8 take some milliseconds. */
const begunInTurnMax = 8;
/** Time after which a connection that has sent no complete request head must let a waiting connection go first. */
const silentMs = 10;

export interface ArrivalBounds {
  readingMax?: number;
  waitingMax?: number;
}

interface Waiting {
  socket: Socket;
  party: Party;
}

/**
 * Lets new connections take turns by address, so that a burst from one sender delays neither requests in flight nor
 * connections of others.
 */
export class Arrivals {
  readonly #serve: (socket: Socket) => void;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #room: Shares;
  readonly #readingMax: number;
  /** Connections being read, with the time at which their turn began, oldest first. */
  readonly #reading = new Map<Socket, number>();
  readonly #served = new WeakSet<Socket>();
  #hasAccepted = false;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  /** Takes over the connections of a server, which must not listen yet. */
  constructor(server: Server, bounds: ArrivalBounds = {}) {
    this.#readingMax = bounds.readingMax ?? readingMax;
    this.#room = new Shares(bounds.waitingMax ?? waitingMax);
    const [serve] = server.listeners('connection');
    this.#serve = serve!.bind(server);
    // Makes connections wait for `resume`: http.createServer does not pass this option of net.Server on.
    Object.assign(server, { pauseOnConnect: true });
    server.removeAllListeners('connection').on('connection', (socket) => this.#add(socket));
  }

  /**
   * Ends the turn of a connection that was closed or has sent its first request, so that another connection may be
   * read.
   */
  end(socket: Socket): void {
    if (this.#reading.delete(socket) && this.#waiting.size > 0) this.#fillSoon();
  }

  #add(socket: Socket): void {
    this.#hasAccepted = true;
    socket.once('close', () => this.end(socket));
    if (this.#reading.size < this.#readingMax && this.#waiting.size === 0) return this.#read(socket);
    this.#wait(socket);
    this.#fillSoon();
  }

  #read(socket: Socket): void {
    this.#reading.set(socket, performance.now());
    if (!this.#served.has(socket)) {
      this.#served.add(socket);
      this.#serve(socket);
    }
    socket.resume();
  }

  #wait(socket: Socket): void {
    const party = [readClientIp({ socket, headers: {} }, 0)];
    if (!this.#room.take(party)) return void socket.destroy();
    this.#waiting.add(party, { socket, party });
    // `setImmediate` runs after the loop has read the available data. The timer alone would run before that, even if
    // the previous turn took longer than the interval.
    this.#timer ??= setInterval(() => setImmediate(() => this.#passOn()), silentMs).unref();
  }

  #fillSoon(): void {
    if (this.#isDue || this.#reading.size >= this.#readingMax) return;
    this.#isDue = true;
    setImmediate(() => this.#fill());
  }

  /**
   * Starts reading waiting connections. libuv accepts one connection per turn of the loop. While new connections
   * arrive, only one waiting connection starts being read per turn. With more, turns took so long that the kernel's
   * queue, which all senders share, overflowed.
   */
  #fill(): void {
    this.#isDue = false;
    const most = this.#hasAccepted ? 1 : begunInTurnMax;
    this.#hasAccepted = false;
    for (let begun = 0; begun < most && this.#reading.size < this.#readingMax;) {
      const next = this.#waiting.take();
      if (!next) return;
      this.#room.giveBack(next.party);
      if (next.socket.destroyed) continue;
      this.#read(next.socket);
      begun++;
    }
    if (this.#waiting.size > 0) this.#fillSoon();
  }

  /**
   * Ends the turns of connections that have sent no complete request head, at most as many as are waiting. They wait
   * for another turn, or are closed if their address already has too many waiting connections.
   */
  #passOn(): void {
    const before = performance.now() - silentMs;
    let others = this.#waiting.size;
    for (const [socket, since] of this.#reading) {
      if (since > before || others-- === 0) break;
      this.#reading.delete(socket);
      socket.pause();
      this.#wait(socket);
    }
    if (this.#waiting.size > 0) return this.#fillSoon();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
