import type { LongestWait, Party, Slots } from '@relata/runtime';
import { type Cancelling, runUntilAborted } from './run-until-aborted.ts';
import type { Db, Statement } from '../statement.ts';
import type { UnitDb } from '../units/unit-db.ts';

/** The database for one organization, limited to its share of the connections. */
export interface OrganizationDb extends Db {
  /** Runs `work` in one transaction, which commits as a whole or not at all. */
  transaction<Result>(work: (db: UnitDb) => Promise<Result>): Promise<Result>;
}

/** The database for an organization's scans: statements that can read many rows. */
export interface ScanDb extends OrganizationDb {
  /** Runs all statements of `work` in one slot, so that none of them waits again. Each commits by itself. */
  inOneSlot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
}

export interface OrganizationDbOptions extends Cancelling {
  /** Slots that a statement must acquire, in this order; at least one. */
  slots: readonly Slots[];
  longestWait: LongestWait;
  transaction<Result>(work: (db: UnitDb) => Promise<Result>, signal: AbortSignal | undefined): Promise<Result>;
}

/**
 * Statements of one organization. Once its share of the connections is used up, a statement waits until another
 * statement of the organization ends. The free connections stay available to other organizations. It is a class rather
 * than an object literal, because each request creates an instance.
 */
export class OneOrganizationDb implements ScanDb {
  readonly #options: OrganizationDbOptions;
  readonly #party: Party;
  readonly #signal: AbortSignal | undefined;

  constructor(options: OrganizationDbOptions, party: Party, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#party = party;
    this.#signal = signal;
  }

  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.#inSlot(() => this.#run(prepared, values));
  }

  inOneSlot<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#inSlot(() => work({ query: (prepared, values) => this.#run(prepared, values) }));
  }

  transaction<Result>(work: (db: UnitDb) => Promise<Result>): Promise<Result> {
    return this.#inSlot(() => this.#options.transaction(work, this.#signal));
  }

  #run<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const { pool, runner } = this.#options;
    const signal = this.#signal;
    return signal ? runUntilAborted(this.#options, prepared, values, signal) : runner.run(pool, prepared, values);
  }

  async #inSlot<Result>(work: () => Promise<Result>, level = 0): Promise<Result> {
    const all = this.#options.slots;
    const slots = all[level]!;
    // Waits at most `longestWait`, and stops waiting once the signal is aborted.
    if (!slots.take(this.#party)) await slots.acquire(this.#party, this.#signal, this.#options.longestWait);
    try {
      return await (level + 1 < all.length ? this.#inSlot(work, level + 1) : work());
    } finally {
      slots.release(this.#party);
    }
  }
}
