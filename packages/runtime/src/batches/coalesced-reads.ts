import { Batcher } from './batcher.ts';
import { abortWhenAllLeft, type WaitingCaller } from './waiting-caller.ts';

interface PendingRead<Result> {
  batcher: Batcher<WaitingCaller, Result>;
  callers: number;
}

/**
 * Shares one read among all callers that ask for the same key before it starts. No caller gets the result of a read
 * that began before the call, so each caller sees its own writes.
 */
export class CoalescedReads<Result> {
  readonly #pending = new Map<string, PendingRead<Result>>();

  /**
   * Returns the result of `read`, or of another read with the same key that begins after this call. Once all callers of
   * a read have left, its signal is aborted with a DisconnectedError.
   */
  async read(key: string, read: (signal: AbortSignal) => Promise<Result>, caller: WaitingCaller): Promise<Result> {
    const pending = this.#pending.getOrInsertComputed(key, () => ({ batcher: readBatcher(read), callers: 0 }));
    pending.callers++;
    try {
      return await pending.batcher.add(caller, caller);
    } finally {
      if (--pending.callers === 0) this.#pending.delete(key);
    }
  }
}

function readBatcher<Result>(read: (signal: AbortSignal) => Promise<Result>): Batcher<WaitingCaller, Result> {
  return new Batcher({
    run: async (callers) => {
      const result = await read(abortWhenAllLeft(callers));
      return callers.map(() => result);
    },
    isItemFault: () => false,
    itemsMax: 1_000,
    flushers: 2,
    waitingMax: 5_000,
  });
}
