import { Batcher, type BatcherOptions } from '@relata/runtime';
import type { Database } from '../connections/database.ts';
import { isContended, isUnavailable } from '../unavailable.ts';
import { type Member, together } from './shared-transaction.ts';

interface Waiting {
  orgId: string;
  member: Member<unknown>;
  weight: number;
}

type Options = Pick<BatcherOptions<Waiting, unknown>, 'itemsMax' | 'waitingMax'> & {
  /** Characters, of what is written by all members of a transaction, and of what may wait. */
  weightMax: number;
  weightWaitingMax: number;
};

/**
 * Transactions that wait anyway are one: their statements and their commit are shared, and organizations take turns. A
 * member may be called again, after what it did was rolled back.
 */
export class SharedTransactions {
  readonly #batcher: Batcher<Waiting, PromiseSettledResult<unknown>>;

  constructor(database: Database, { itemsMax, waitingMax, weightMax, weightWaitingMax }: Options) {
    this.#batcher = new Batcher({
      run: (waiting) =>
        database.transaction((db) =>
          together(
            db,
            waiting.map(({ member }) => member),
          ),
        ),
      isItemFault: (error) => !isUnavailable(error) || isContended(error),
      partyOf: ({ orgId }) => [orgId],
      itemsMax,
      flushers: 1,
      waitingMax,
      weight: { of: ({ weight }) => weight, batchMax: weightMax, waitingMax: weightWaitingMax },
    });
  }

  /** Resolves once the transaction is committed. */
  async run<Result>(orgId: string, member: Member<Result>, weight = 0): Promise<Result> {
    const settled = await this.#batcher.add({ orgId, member, weight });
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value as Result;
  }
}
