import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue, type Party, Shares } from '@relata/runtime';
import { clientIpOf } from '../exchange/client-ip.ts';

/**
 * New connections that are read at the same time until their first request is there. What they have sent by then is read in one
 * turn of the event loop: thousands, each with a piece of a body, held it for seconds, and hundreds of megabytes with it.
 */
const readingMax = 32;
/** Those that wait for that, at 3 KB each; one address alone gets half of it. More are closed. */
const waitingMax = 16_384;
/** Of those that wait, so many begin to be read in a turn of the loop: some milliseconds of it. */
const begunInTurnMax = 8;
/** While others wait, a connection that has sent nothing for so long lets another go first. */
const silentMs = 10;

export interface ArrivalBounds {
  readingMax?: number;
  waitingMax?: number;
}

interface Waiting {
  socket: Socket;
  party: Party;
}

/** New connections take turns by address, so that a burst of one sender delays neither requests in flight nor others' connections. */
export class Arrivals {
  readonly #serve: (socket: Socket) => void;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #room: Shares;
  readonly #readingMax: number;
  /** With the time at which their turn began, in its order. */
  readonly #reading = new Map<Socket, number>();
  readonly #served = new WeakSet<Socket>();
  #hasAccepted = false;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  /** Comes between a server and its connections, before it listens. */
  constructor(server: Server, bounds: ArrivalBounds = {}) {
    this.#readingMax = bounds.readingMax ?? readingMax;
    this.#room = new Shares(bounds.waitingMax ?? waitingMax);
    const [serve] = server.listeners('connection');
    this.#serve = (socket) => serve!.call(server, socket);
    // An option of net.Server that http.createServer does not pass on: nothing is read before `resume`.
    Object.assign(server, { pauseOnConnect: true });
    server.removeAllListeners('connection').on('connection', (socket) => this.#add(socket));
  }

  /** The first request of a connection is there, or the connection is over: another may be read. */
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
    const party = [clientIpOf({ socket, headers: {} }, 0)];
    if (!this.#room.take(party)) return void socket.destroy();
    this.#waiting.add(party, { socket, party });
    // Right after the loop has read what was there: a turn of it may take longer than this time, and timers come first in it.
    this.#timer ??= setInterval(() => setImmediate(() => this.#passOn()), silentMs).unref();
  }

  #fillSoon(): void {
    if (this.#isDue || this.#reading.size >= this.#readingMax) return;
    this.#isDue = true;
    setImmediate(() => this.#fill());
  }

  /**
   * libuv accepts one connection in a turn of the loop. As long as it does, one is read in a turn: with more, turns were so long
   * that the kernel's queue ran over, in which all senders stand in one line.
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
   * As many as others wait, of those that were silent during their turn, wait for another one; they are closed where their address
   * has no room for that.
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
