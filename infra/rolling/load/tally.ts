import type { LoadResponse } from './client.ts';

const shownUnits = 300;

export class Tally {
  readonly counts: Record<string, number> = {};
  readonly failures: string[] = [];
  /** The phase of the rollout, shown with a failure. */
  phase = 'before';

  /** Counts a request, and returns true if its response was complete and had this status. */
  take(what: string, response: LoadResponse, status: number): boolean {
    const { error } = response;
    if (error === undefined && response.status === status) {
      this.counts[what] = (this.counts[what] ?? 0) + 1;
      return true;
    }
    this.fail(what, `${response.status ?? 'no answer'} ${error ?? ''} ${response.text.slice(0, shownUnits)}`);
    return false;
  }

  fail(what: string, why: string): void {
    this.failures.push(`${what} (${this.phase}): ${why}`);
  }
}
