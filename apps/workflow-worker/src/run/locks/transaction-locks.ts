import type { Db } from '@relata/db';
import { tryLockTexts } from '@relata/records';
import { jittered, pause } from '../../worker/pause.ts';
import { Interrupted, BusyError } from '../interruption.ts';
import type { MatchLocks } from './match-locks.ts';

/** Less than the second after which PostgreSQL looks for deadlocks: a transaction that holds locks gives way before. */
const rowWaitMs = 250;

const retryMs = 5;
const retryMsMax = 100;

/**
 * The locks of one transaction of a run. None is ever waited for within the transaction, so that transactions which
 * lock the same matches in different orders cannot block each other, and no connection is held by those who wait.
 */
export class TransactionLocks implements Disposable {
  readonly #locks: MatchLocks;
  readonly #held = new Set<string>();
  #waitMs = retryMs;

  constructor(locks: MatchLocks) {
    this.#locks = locks;
  }

  /** Locks texts within the transaction, or throws BusyError. */
  readonly lock = async (db: Db, texts: readonly string[]): Promise<void> => {
    this.#takeAll(texts);
    if (!(await tryLockTexts(db, texts, rowWaitMs))) throw new BusyError(texts[0]);
  };

  /** All or none: nobody waits for a text while others wait for what they hold. */
  #takeAll(texts: readonly string[]): void {
    const taken: string[] = [];
    for (const text of texts) {
      if (this.#held.has(text)) continue;
      if (!this.#locks.take(text)) {
        for (const other of taken) this.#release(other);
        throw new BusyError(text);
      }
      this.#held.add(text);
      taken.push(text);
    }
  }

  #release(text: string): void {
    this.#held.delete(text);
    this.#locks.release(text);
  }

  /** Waits, outside of any transaction, until the match or the row may be free. Call it with nothing else locked. */
  async wait(key: string | undefined, signal: AbortSignal): Promise<void> {
    try {
      // No other run of this worker has it: another worker has locked it in the database.
      if (key === undefined || this.#held.has(key)) return await this.#pause(signal);
      await this.#locks.acquire(key, signal);
      this.#held.add(key);
    } catch {
      throw new Interrupted();
    }
  }

  [Symbol.dispose](): void {
    for (const key of this.#held) this.#locks.release(key);
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await pause(jittered(this.#waitMs), signal);
    signal.throwIfAborted();
    this.#waitMs = Math.min(this.#waitMs * 2, retryMsMax);
  }
}
