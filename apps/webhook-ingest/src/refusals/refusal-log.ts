import { type Db, isContended, isUnavailable } from '@relata/db';
import { type Log, Loop } from '@relata/runtime';
import { type NewRefusal, storeRefusals } from '@relata/workflows/intake';
import { GatheredRefusals } from './gathered-refusals.ts';

const writeEveryMs = 1_000;

export interface RefusalLogOptions {
  db: Db;
  log: Log;
}

/**
 * Writes the refusals of triggers with at most one statement and one line in the log per second, however many there
 * are. Nobody waits for it. While the database is unavailable it retries; refusals beyond the memory limits are lost.
 * If the connection breaks while a statement commits, its counts may be added twice.
 */
export class RefusalLog implements AsyncDisposable {
  readonly #gathered = new GatheredRefusals();
  readonly #options: RefusalLogOptions;
  readonly #loop: Loop;

  constructor(options: RefusalLogOptions) {
    this.#options = options;
    const writing = async () => {
      if (!this.#gathered.isEmpty) await this.#write();
      return writeEveryMs;
    };
    const onError = (error: unknown) => options.log.error({ err: error }, 'refused deliveries lost');
    this.#loop = new Loop(writing, onError).start(writeEveryMs);
  }

  add(refusal: NewRefusal): void {
    this.#gathered.add(refusal);
  }

  async #write(): Promise<void> {
    const { db, log } = this.#options;
    const taken = this.#gathered.take();
    const { refusals, counts } = taken;
    try {
      await storeRefusals(db, refusals, counts);
      const refused = counts.reduce((sum, count) => sum + count.refused, 0);
      log.info({ refused, triggers: new Set(counts.map(({ triggerId }) => triggerId)).size }, 'deliveries refused');
    } catch (error) {
      log.warn({ err: error }, 'refused deliveries not written');
      if (isUnavailable(error) || isContended(error)) return this.#gathered.putBack(taken);
    }
    this.#gathered.giveBack(taken);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    if (!this.#gathered.isEmpty) await this.#write();
  }
}
