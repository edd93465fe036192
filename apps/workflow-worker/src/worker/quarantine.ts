import { FairQueue } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { hintOf, type RunHint } from './backlog.ts';

/** How long nothing is claimed beside a run that has stalled again. */
const quietMs = 5_000;

/** How long a turn lasts at most, and after the run has come further: it may only wait for an answer now. */
const turnMs = 10_000;
const furtherMs = 500;

/** Hints that are kept; the sweep finds any more. */
const hintsMax = 1_000;

interface Turn {
  id: string;
  endsAt: number;
  quietUntil: number;
  hasProgress: boolean;
}

/**
 * Runs whose worker was lost: one of them may be the cause. They are executed one at a time, so that none is lost with
 * another for a second time. Those that wait are given back, since a run that is not claimed cannot stall. Beside one
 * that stalls again nothing is claimed for a while. All times are milliseconds of one clock, which the caller reads.
 */
export class Quarantine {
  readonly #waiting = new FairQueue<RunHint>();
  #turn: Turn | undefined;

  /** Returns true if a run that was claimed may go on; else it is to be given back. */
  admit({ id, stalls }: ClaimedRun, now: number): boolean {
    if (stalls === 0) return true;
    if (this.#isTaken(now)) return false;
    const quietUntil = stalls > 1 ? now + quietMs : now;
    this.#turn = { id, endsAt: now + turnMs, quietUntil, hasProgress: false };
    return true;
  }

  /** Adds a run that was given back, and can be claimed again. */
  add(run: ClaimedRun): void {
    if (this.#waiting.size < hintsMax) this.#waiting.add([run.org_id], hintOf(run));
  }

  /** Takes the next run to claim unless another has its turn. */
  take(now: number, mayTake: (orgId: string) => boolean): RunHint | undefined {
    return this.#isTaken(now) ? undefined : this.#waiting.take(([orgId]) => mayTake(orgId));
  }

  /** Returns how long nothing is to be claimed. */
  quietMs(now: number): number {
    return this.#isTaken(now) ? Math.max(0, this.#turn!.quietUntil - now) : 0;
  }

  /** Returns when another run has its turn; `Infinity` if none waits for it. */
  turnInMs(now: number): number {
    return this.#waiting.size > 0 && this.#isTaken(now) ? this.#turn!.endsAt - now : Infinity;
  }

  /** Notes that a run has come further: most likely it is not the cause. Returns true if its turn ends sooner for it. */
  progress(id: string, now: number): boolean {
    if (this.#turn?.id !== id || this.#turn.hasProgress) return false;
    this.#turn = { ...this.#turn, endsAt: now + furtherMs, hasProgress: true };
    return true;
  }

  /** Notes that a run has ended. */
  end(id: string): void {
    if (this.#turn?.id === id) this.#turn = undefined;
  }

  #isTaken(now: number): boolean {
    return this.#turn !== undefined && now < this.#turn.endsAt;
  }
}
