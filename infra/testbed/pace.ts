import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';

export interface PaceOptions {
  /** How many do it at the same time, each one thing after another. */
  clients: number;
  /** How often all of them together do it. */
  perSecond: number;
  random: Random;
  each: () => Promise<unknown>;
}

/** Clients that each do something again and again, at irregular intervals, until `end`. */
export class Pace {
  readonly #options: PaceOptions;
  #isEnding = false;
  #clients: Promise<unknown> | undefined;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  start(): void {
    this.#clients = Promise.all(Array.from({ length: this.#options.clients }, () => this.#onAndOn()));
  }

  /** Begins nothing any more. */
  stop(): void {
    this.#isEnding = true;
  }

  /** Returns when what was begun is done. */
  async end(): Promise<void> {
    this.stop();
    await this.#clients;
  }

  async #onAndOn(): Promise<void> {
    const { clients, perSecond, random, each } = this.#options;
    const everyMs = (clients / perSecond) * 1_000;
    await pause(random.next() * everyMs);
    while (!this.#isEnding) {
      const nextAt = Date.now() + everyMs * (0.5 + random.next());
      await each();
      if (!this.#isEnding) await pause(Math.max(0, nextAt - Date.now()));
    }
  }
}
