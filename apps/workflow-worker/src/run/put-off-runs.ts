/** Of more than any worker has put off at once, the sizes are forgotten. */
const runsMax = 10_000;

/**
 * How much room runs wanted that were put off for want of it. One for which there still is not so much is put off again
 * at once: to find out its size anew the database unpacks all that it carries.
 */
export class PutOffRuns {
  readonly #wanted = new Map<string, number>();

  /** In bytes; undefined where the run was not put off by this worker. */
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
