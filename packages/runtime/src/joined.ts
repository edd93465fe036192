import { Batcher } from './batcher.ts';

interface Asked<Result> {
  batcher: Batcher<undefined, Result>;
  askers: number;
}

/**
 * Reads the same thing once for all who ask for it while it waits to be read. Nobody is given what was begun before
 * they asked, so everyone sees their own writes.
 */
export class JoinedReads<Result> {
  readonly #asked = new Map<string, Asked<Result>>();

  /** The result of `read`, or of another's that is named by the same key and begins after this call. */
  async read(key: string, read: () => Promise<Result>): Promise<Result> {
    const asked = this.#asked.get(key) ?? { batcher: readBatcher(read), askers: 0 };
    this.#asked.set(key, asked);
    asked.askers++;
    try {
      return await asked.batcher.add(undefined);
    } finally {
      if (--asked.askers === 0) this.#asked.delete(key);
    }
  }
}

function readBatcher<Result>(read: () => Promise<Result>): Batcher<undefined, Result> {
  return new Batcher({
    run: async (askers) => {
      const result = await read();
      return askers.map(() => result);
    },
    isItemFault: () => false,
    itemsMax: 1_000,
    flushers: 2,
    waitingMax: 5_000,
  });
}
