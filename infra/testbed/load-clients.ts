import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.ts';

export interface LoadClientsOptions {
  /** Number of clients. Each does one thing after another. */
  clients: number;
  /** Rate of all clients together. */
  perSecond: number;
  random: Random;
  each: () => Promise<unknown>;
}

/** Clients that each do something again and again, at irregular intervals, until `end`. */
export class LoadClients {
  readonly #options: LoadClientsOptions;
  #isEnding = false;
  #clients: Promise<unknown> | undefined;

  constructor(options: LoadClientsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#clients = Promise.all(Array.from({ length: this.#options.clients }, () => this.#onAndOn()));
  }

  /** Stops beginning new work. */
  stop(): void {
    this.#isEnding = true;
  }

  /** Stops beginning new work, and waits for the work in progress. */
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
