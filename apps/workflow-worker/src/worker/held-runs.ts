import type { ClaimedRun } from '@relata/workflows/execution';

/** The runs whose leases a worker holds, including runs that wait for a response or for a slot. */
export class HeldRuns {
  readonly #held = new Map<ClaimedRun, AbortController>();
  readonly #stopping = new AbortController();
  #onEmpty: (() => void) | undefined;

  get count(): number {
    return this.#held.size;
  }

  get runs(): ClaimedRun[] {
    return [...this.#held.keys()];
  }

  *organizations(): Iterable<string> {
    for (const { org_id } of this.#held.keys()) yield org_id;
  }

  /** Returns a signal that is aborted once the run is lost or must be released. */
  add(run: ClaimedRun): AbortSignal {
    const ending = new AbortController();
    this.#held.set(run, ending);
    if (this.#stopping.signal.aborted) ending.abort();
    return ending.signal;
  }

  delete(run: ClaimedRun): void {
    this.#held.delete(run);
    if (this.#held.size === 0) this.#onEmpty?.();
  }

  /** Aborts those of `runs` that are still held and are not in `kept`. Returns the number of aborted runs. */
  abortAllBut(kept: ReadonlySet<string>, runs: readonly ClaimedRun[]): number {
    const lost = runs.filter((run) => this.#held.has(run) && !kept.has(run.id));
    for (const run of lost) this.#held.get(run)!.abort();
    return lost.length;
  }

  /** Aborts all held runs after `ms`, and from then on each run that is added. */
  abortIn(ms: number): void {
    const abort = () => {
      this.#stopping.abort();
      for (const ending of this.#held.values()) ending.abort();
    };
    setTimeout(abort, ms).unref();
  }

  /** Resolves once no run is held. */
  async ended(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#held.size > 0) await promise;
  }
}
