import { OutOfTimeError, type TimeSlicer } from '../time-slicer.ts';
import type { SearchedDelivery } from './delivery-batch.sql.ts';
import type { SearchCondition } from './search-condition.ts';

/** Limits of one walk. */
const rowsMax = 1_000;
const bytesMax = 4_194_304;

/** Rows per statement. The first batch is small, so that few rows are read in vain if the time is used up early. */
const batchRows = { first: 200, others: 800 };

export type ReadBatch = (bounds: { high: string; rowsMax: number; bytesMax: number }) => Promise<SearchedDelivery[]>;

interface WalkOptions {
  condition: SearchCondition;
  limit: number;
  slicer: TimeSlicer;
  signal: AbortSignal | undefined;
  /** Id of a delivery that is known to match because the searched text is its id. The walk skips this delivery. */
  known: string | undefined;
}

/** Examines deliveries, newest first, until it reaches a limit: rows, bytes, matches or time. */
export class SearchWalk {
  readonly #options: WalkOptions;
  #bytesLeft = bytesMax;
  readonly matches: string[] = [];
  lookedAt = 0;
  failed = 0;
  firstFault: { id: string; message: string } | undefined;
  /** The last delivery that was examined; undefined once no older delivery is left. */
  last: SearchedDelivery | undefined;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async through(high: string, read: ReadBatch): Promise<void> {
    for (let size: number = batchRows.first; !this.#isOver; size = batchRows.others) {
      const bounds = { high: this.last?.id ?? high, rowsMax: Math.min(size, rowsMax - this.lookedAt) };
      const batch = await this.#options.slicer.aside(() => read({ ...bounds, bytesMax: this.#bytesLeft }));
      this.#bytesLeft -= batch.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
      if (!(await this.#look(batch)) || this.#bytesLeft <= 0) return;
      if (batch.length < bounds.rowsMax) this.last = undefined;
      if (batch.length < bounds.rowsMax) return;
    }
  }

  get #isOver(): boolean {
    return this.lookedAt >= rowsMax || this.matches.length >= this.#options.limit;
  }

  /** Examines a batch. Returns false if it stopped before the end of the batch. */
  async #look(batch: readonly SearchedDelivery[]): Promise<boolean> {
    const { slicer, signal } = this.#options;
    for (const delivery of batch) {
      if (this.matches.length >= this.#options.limit) return false;
      try {
        const others = this.last && slicer.pause();
        if (others) await others;
      } catch (error) {
        if (error instanceof OutOfTimeError) return false;
        throw error;
      }
      signal?.throwIfAborted();
      await this.#examine(delivery);
    }
    return true;
  }

  async #examine(delivery: SearchedDelivery): Promise<void> {
    const { id, body, headers } = delivery;
    this.last = delivery;
    this.lookedAt++;
    if (!body || id === this.#options.known) return;
    try {
      const examined = { id, body, headers: JSON.parse(headers!) as Record<string, string> };
      const isMatch = await this.#options.condition(examined, () => this.#options.slicer.turn());
      if (isMatch) this.matches.push(id);
    } catch (error) {
      this.failed++;
      this.firstFault ??= { id, message: (error as Error).message };
    }
  }
}
