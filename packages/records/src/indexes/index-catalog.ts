import type { Db } from '@relata/db';
import { Loop } from '@relata/runtime';
import { readIndexStates } from './list-index.sql.ts';

/** Interval between two reads: a new index must be used within a minute. */
const readEveryMs = 30_000;

/** Indexes of lists that this process may use. While the database cannot be reached, the last known state applies. */
export class IndexCatalog implements AsyncDisposable {
  readonly #db: Db;
  readonly #loop: Loop;
  #ready: ReadonlySet<string> | undefined;
  #reading: Promise<void> | undefined;

  constructor(db: Db, onError: (error: unknown) => void, everyMs = readEveryMs) {
    this.#db = db;
    const round = async () => {
      await this.read();
      return everyMs;
    };
    this.#loop = new Loop(round, onError);
  }

  /** Reads the catalog now, and then at every interval (30 seconds by default). */
  start(): this {
    this.#loop.start();
    return this;
  }

  /** True once the catalog has been read. */
  get isKnown(): boolean {
    return this.#ready !== undefined;
  }

  /** Returns true if lists may use the index; `name` is the name of a `ListIndex`. */
  isReady(name: string): boolean {
    return this.#ready?.has(name) ?? false;
  }

  /** Reads the catalog. Concurrent callers share one statement. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const states = await readIndexStates(this.#db);
    this.#ready = new Set(states.flatMap(({ name, state }) => (state === 'ready' ? [name] : [])));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }
}
