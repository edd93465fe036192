/** How many runs a worker may still take, and a way to wait for it. */
export class Room {
  #free: number;
  #waiting: { least: number; resolve: () => void }[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  take(count: number): void {
    this.#free -= count;
  }

  giveBack(count: number): void {
    this.#free += count;
    const ready = this.#waiting.filter(({ least }) => least <= this.#free);
    this.#waiting = this.#waiting.filter(({ least }) => least > this.#free);
    for (const { resolve } of ready) resolve();
  }

  /** Resolves once there is room for so many, or when the signal is aborted. */
  async atLeast(least: number, signal: AbortSignal): Promise<void> {
    while (this.#free < least && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { least, resolve };
      this.#waiting.push(waiter);
      const giveUp = () => resolve();
      signal.addEventListener('abort', giveUp, { once: true });
      await promise;
      signal.removeEventListener('abort', giveUp);
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
    }
  }
}
