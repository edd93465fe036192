import { Batcher } from './batcher.ts';
import { allLeft, type Reader } from './reader.ts';

interface PendingRead<Result> {
  batcher: Batcher<Reader, Result>;
  readers: number;
}

/**
 * Shares one read among all callers that ask for the same key before it starts. No caller gets the result of a read
 * that began before the call, so each caller sees its own writes.
 */
export class CoalescedReads<Result> {
  readonly #pending = new Map<string, PendingRead<Result>>();

  /**
   * Returns the result of `read`, or of another read with the same key that begins after this call. Once all readers of
   * a read have left, its signal is aborted with a DisconnectedError.
   */
  async read(key: string, read: (signal: AbortSignal) => Promise<Result>, reader: Reader): Promise<Result> {
    const pending = this.#pending.getOrInsertComputed(key, () => ({ batcher: readBatcher(read), readers: 0 }));
    pending.readers++;
    try {
      return await pending.batcher.add(reader, reader);
    } finally {
      if (--pending.readers === 0) this.#pending.delete(key);
    }
  }
}

function readBatcher<Result>(read: (signal: AbortSignal) => Promise<Result>): Batcher<Reader, Result> {
  return new Batcher({
    run: async (readers) => {
      const result = await read(allLeft(readers));
      return readers.map(() => result);
    },
    isItemFault: () => false,
    itemsMax: 1_000,
    flushers: 2,
    waitingMax: 5_000,
  });
}
