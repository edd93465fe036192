import { Batcher } from './batcher.ts';

/** Somebody who may leave before there is a result. A signal for each request would cost more than its share of a read. */
export interface Asker {
  readonly hasLeft: boolean;
  onLeft: (() => void) | undefined;
}

/** All who asked have left. */
export class AskersLeftError extends Error {
  override name = 'AskersLeftError';
}

interface Asked<Result> {
  batcher: Batcher<Asker, Result>;
  askers: number;
}

/**
 * Reads the same thing once for all who ask for it while it waits to be read. Nobody is given what was begun before
 * they asked, so everyone sees their own writes.
 */
export class JoinedReads<Result> {
  readonly #asked = new Map<string, Asked<Result>>();

  /**
   * The result of `read`, or of another's that is named by the same key and begins after this call. Once all who share
   * a read have left, its signal is aborted with an AskersLeftError.
   */
  async read(key: string, read: (signal: AbortSignal) => Promise<Result>, asker: Asker): Promise<Result> {
    const asked = this.#asked.get(key) ?? { batcher: readBatcher(read), askers: 0 };
    this.#asked.set(key, asked);
    asked.askers++;
    try {
      return await asked.batcher.add(asker);
    } finally {
      if (--asked.askers === 0) this.#asked.delete(key);
    }
  }
}

function readBatcher<Result>(read: (signal: AbortSignal) => Promise<Result>): Batcher<Asker, Result> {
  return new Batcher({
    run: async (askers) => {
      const result = await read(allLeft(askers));
      return askers.map(() => result);
    },
    isItemFault: () => false,
    itemsMax: 1_000,
    flushers: 2,
    waitingMax: 5_000,
  });
}

/** A signal that is aborted once all of them have left. */
function allLeft(askers: readonly Asker[]): AbortSignal {
  const all = new AbortController();
  const look = () => {
    if (askers.every(({ hasLeft }) => hasLeft)) all.abort(new AskersLeftError('All who asked have left.'));
  };
  for (const asker of askers) asker.onLeft = look;
  look();
  return all.signal;
}
