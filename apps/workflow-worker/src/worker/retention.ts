import type { Database } from '@relata/db';
import { dropOldEvents } from '@relata/events';
import { dropOldAnswers } from '@relata/http';
import { dropEnded } from '@relata/people';
import type { Log } from '@relata/runtime';
import { dropOld, dropOldRefusals } from '@relata/workflows/execution';
import { jittered, pause } from './pause.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

export interface RetentionOptions {
  database: Database;
  log: Log;
  /** Deliveries, and runs that have ended. */
  deliveryDays: number;
  eventDays: number;
  /** Answers to writes that name themselves. */
  idempotencyHours: number;
  /** An hour unless given. */
  everyMs?: number;
}

/** Drops what is older than it is to be kept, now and then, until disposed. */
export class Retention implements AsyncDisposable {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: RetentionOptions) {
    this.#done = this.#run(options);
  }

  async #run({
    database,
    log,
    deliveryDays,
    eventDays,
    idempotencyHours,
    everyMs = hourMs,
  }: RetentionOptions): Promise<void> {
    const { signal } = this.#stopping;
    const sweeps = [
      () => dropOld(database, { olderThanMs: deliveryDays * dayMs, signal }),
      async () => ({ refusals: await dropOldRefusals(database, signal) }),
      async () => ({ answers: await dropOldAnswers(database, idempotencyHours * hourMs, signal) }),
      () => dropEnded(database, signal),
      async () => ({ events: await dropOldEvents(database, { olderThanMs: eventDays * dayMs, signal }) }),
    ];
    // Not while everything starts.
    await pause(jittered(everyMs / 60), signal);
    while (!signal.aborted) {
      for (const sweep of sweeps) await this.#sweep(log, sweep);
      await pause(jittered(everyMs), signal);
    }
  }

  /** A sweep that fails does not keep the next one from running. */
  async #sweep(log: Log, sweep: () => Promise<object>): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    try {
      const dropped = await sweep();
      if (Object.values(dropped).some((count) => count > 0)) log.info(dropped, 'retention dropped old rows');
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'retention failed');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }
}
