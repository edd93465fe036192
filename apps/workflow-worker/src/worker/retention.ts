import type { Database } from '@relata/db';
import type { Log } from '@relata/runtime';
import { dropOld } from '@relata/workflows/execution';
import { jittered, pause } from './pause.ts';

const everyMs = 3_600_000;
const dayMs = 86_400_000;

export interface RetentionOptions {
  database: Database;
  log: Log;
  days: number;
}

/** Drops what is older than it is to be kept, now and then, until disposed. */
export class Retention implements AsyncDisposable {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: RetentionOptions) {
    this.#done = this.#run(options);
  }

  async #run({ database, log, days }: RetentionOptions): Promise<void> {
    const { signal } = this.#stopping;
    // Not while everything starts.
    await pause(jittered(everyMs / 60), signal);
    while (!signal.aborted) {
      try {
        const dropped = await dropOld(database, { olderThanMs: days * dayMs, signal });
        if (dropped.runs + dropped.deliveries > 0) log.info(dropped, 'retention dropped old rows');
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'retention failed');
      }
      await pause(jittered(everyMs), signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }
}
