import { type Db, isContended, isUnavailable } from '@relata/db';
import { type Log, Loop } from '@relata/runtime';
import { type NewRefusal, storeRefusals } from '@relata/workflows/intake';
import { type CountedRefusals, GatheredRefusals, type Taken } from './gathered-refusals.ts';

const writeEveryMs = 1_000;
/** Maximum number of lines that are logged for each write to the database. */
const linesMax = 20;

export interface RefusalLogOptions {
  db: Db;
  log: Log;
}

/**
 * Writes all refusals of triggers to the database, at most once a second, and logs a few lines. No request waits for
 * this. While the database is unavailable, writing is retried, but refusals beyond the memory limits are lost. If the
 * connection breaks while a statement commits, its counts may be added twice.
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
    const taken = this.#gathered.take();
    this.#say(taken);
    try {
      await storeRefusals(this.#options.db, taken.refusals, taken.counts);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'refused deliveries not written');
      if (isUnavailable(error) || isContended(error)) return this.#gathered.putBack(taken);
    }
    this.#gathered.giveBack(taken);
  }

  #say({ counts }: Taken): void {
    const { log } = this.#options;
    const unsaid = inTurns(counts.filter((count) => count.unsaid > 0));
    for (const { orgId, triggerId, reason, message, unsaid: refused } of unsaid.slice(0, linesMax))
      log.info({ org_id: orgId, trigger_id: triggerId, reason, refused, message }, 'deliveries refused');
    if (unsaid.length > linesMax) log.info({ more: unsaid.length - linesMax }, 'deliveries refused for more reasons');
    for (const count of counts) count.unsaid = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    if (!this.#gathered.isEmpty) await this.#write();
  }
}

/** Orders counts so that organizations take turns: first one count of each, then a second of each, and so on. */
function inTurns(counts: readonly CountedRefusals[]): CountedRefusals[] {
  const seen = new Map<string, number>();
  const turns = counts.map((count) => {
    const turn = seen.get(count.orgId) ?? 0;
    seen.set(count.orgId, turn + 1);
    return { count, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ count }) => count);
}
