/** Number of runs that are remembered, more than a worker ever postpones at once; beyond it all are forgotten. */
const runsMax = 10_000;

/**
 * Memory that postponed runs asked for. A run that still does not fit is postponed again at once: determining its size
 * anew would make the database unpack everything that it carries.
 */
export class PutOffRuns {
  readonly #wanted = new Map<string, number>();

  /** Returns the size in bytes; undefined if this worker has not postponed the run. */
  wantedBy(runId: string): number | undefined {
    return this.#wanted.get(runId);
  }

  note(runId: string, bytes: number): void {
    if (this.#wanted.size >= runsMax) this.#wanted.clear();
    this.#wanted.set(runId, bytes);
  }

  delete(runId: string): void {
    this.#wanted.delete(runId);
  }
}
