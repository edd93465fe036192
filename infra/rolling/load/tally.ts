import type { Answer } from './client.ts';

const shownUnits = 300;

export class Tally {
  readonly counts: Record<string, number> = {};
  readonly failures: string[] = [];
  /** The phase of the rollout, shown with a failure. */
  phase = 'before';

  /** Counts a request, and returns true if its answer was complete and had this status. */
  take(what: string, answer: Answer, status: number): boolean {
    const { error } = answer;
    if (error === undefined && answer.status === status) {
      this.counts[what] = (this.counts[what] ?? 0) + 1;
      return true;
    }
    this.fail(what, `${answer.status ?? 'no answer'} ${error ?? ''} ${answer.text.slice(0, shownUnits)}`);
    return false;
  }

  fail(what: string, why: string): void {
    this.failures.push(`${what} (${this.phase}): ${why}`);
  }
}
