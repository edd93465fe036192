/** Wakes one loop when there may be something to do, also when that was said while it was busy. */
export class Changes {
  #isPending = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isPending = true;
    this.#wake?.();
  }

  /** Resolves at once if there was a change since the last call, else at the next one or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isPending && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener('abort', resolve as () => void, { once: true });
      await promise;
      signal.removeEventListener('abort', resolve as () => void);
      this.#wake = undefined;
    }
    this.#isPending = false;
  }
}
