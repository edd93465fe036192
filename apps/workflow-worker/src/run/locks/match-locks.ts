/**
 * The matches that runs of this worker upsert at this moment. Runs that wait for one of them wait here, first come first
 * served and without a connection. Other workers are kept off by the lock in the database, which alone decides.
 */
export class MatchLocks {
  /** Those who wait, by the key that is locked. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Locks a key now, or returns false. */
  take(key: string): boolean {
    if (this.#waiting.has(key)) return false;
    this.#waiting.set(key, []);
    return true;
  }

  /** Resolves once the key is locked for the caller; rejects with the signal's reason when that is aborted first. */
  async acquire(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = this.#waiting.get(key);
    if (!queue) return void this.take(key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.push(resolve);
    const leave = () => {
      const at = queue.indexOf(resolve);
      if (at < 0) return;
      queue.splice(at, 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  release(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) next();
    else this.#waiting.delete(key);
  }
}
