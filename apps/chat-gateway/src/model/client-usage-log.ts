import type { Db } from '@relata/db';
import { Loop } from '@relata/runtime';
import { addClientUsage, dropClientUsage } from './client-usage.sql.ts';

/** What a client has used of a day, as far as this process knows. */
export class ClientUsage {
  readonly orgId: string;
  readonly day: string;
  readonly client: string;
  /** What all replicas had written when this one last wrote; undefined until then. */
  saved: number | undefined = undefined;
  unsaved = 0;
  reserved = 0;

  constructor(orgId: string, day: string, client: string) {
    this.orgId = orgId;
    this.day = day;
    this.client = client;
  }

  get isKnown(): boolean {
    return this.saved !== undefined;
  }

  get spent(): number {
    return (this.saved ?? 0) + this.unsaved + this.reserved;
  }
}

const saveEveryMs = 1_000;
const dropEveryMs = 3_600_000;

/** Rows of one statement. */
const rowsMax = 1_000;

/** Writes what clients used, many in one statement, which returns the totals of all replicas. */
export class ClientUsageLog implements AsyncDisposable {
  readonly #db: Db;
  readonly #onError: (error: unknown) => void;
  readonly #loops: readonly Loop[];
  readonly #changed = new Set<ClientUsage>();
  #saving: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#loops = [
      new Loop(() => this.#saveChanged(), onError).start(saveEveryMs),
      new Loop((signal) => this.#dropOld(signal), onError).start(),
    ];
  }

  /** Schedules a usage to be written within a second. */
  add(usage: ClientUsage): void {
    this.#changed.add(usage);
  }

  /** Settles once all of them are known; rejects where that takes longer than `maxMs`. */
  async lookUp(usages: readonly ClientUsage[], maxMs: number): Promise<void> {
    for (const usage of usages) this.add(usage);
    const late = Promise.withResolvers<never>();
    const error = () => late.reject(new Error(`What clients have used was not known within ${maxMs} ms.`));
    const timeout = setTimeout(error, maxMs);
    await Promise.race([this.#save(), late.promise]).finally(() => clearTimeout(timeout));
  }

  async #saveChanged(): Promise<number> {
    if (this.#changed.size > 0) await this.#save();
    return saveEveryMs;
  }

  /** One statement after the other: all who ask while one is under way share the next. */
  #save(): Promise<void> {
    return (this.#next ??= this.#saving
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return (this.#saving = this.#write());
      }));
  }

  async #write(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (let from = 0; from < changed.length; from += rowsMax) {
      const rows = changed.slice(from, from + rowsMax);
      try {
        await this.#writeRows(rows);
      } catch (error) {
        // What has used nothing is looked up again when it is asked for.
        for (const usage of changed.slice(from)) if (usage.unsaved > 0) this.add(usage);
        throw error;
      }
    }
  }

  async #writeRows(usages: readonly ClientUsage[]): Promise<void> {
    const used = usages.map(({ orgId, day, client, unsaved }) => ({ orgId, day, client, tokens: unsaved }));
    const totals = await addClientUsage(this.#db, used);
    usages.forEach((usage, i) => {
      usage.saved = totals[i]!;
      usage.unsaved -= used[i]!.tokens;
    });
  }

  /** Nothing of a client is kept for longer than its day, and the hour until this is done again. */
  async #dropOld(signal: AbortSignal): Promise<number> {
    const today = new Date().toISOString().slice(0, 10);
    while (!signal.aborted && (await dropClientUsage(this.#db, today, rowsMax)) === rowsMax);
    return dropEveryMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
    if (this.#changed.size > 0) await this.#save().catch(this.#onError);
    await Promise.allSettled([this.#saving]);
  }
}
