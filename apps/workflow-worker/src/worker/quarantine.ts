import { FairQueue } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { toHint, type RunHint } from './backlog.ts';

/** Time in ms for which nothing else is claimed while a run executes that has stalled more than once. */
const quietMs = 5_000;

/**
 * Maximum duration of a turn, in ms, and its remaining time once its run makes progress. A run with progress may only
 * be waiting for a response.
 */
const turnMs = 10_000;
const afterProgressMs = 500;

/** Maximum number of hints that are kept. The sweep finds further runs. */
const hintsMax = 1_000;

interface Turn {
  id: string;
  endsAt: number;
  quietUntil: number;
  hasProgress: boolean;
}

/**
 * Runs whose worker was lost, perhaps because of one of them. (Each claim after an expired lease increases `stalls`.)
 * They are executed one at a time, so that no run is lost again because of another. Runs that wait for their turn are
 * released, since a run that is not claimed cannot stall. While a run that has stalled more than once executes, nothing
 * else is claimed for a while. All times are milliseconds of the caller's clock.
 */
export class Quarantine {
  readonly #waiting = new FairQueue<RunHint>();
  #turn: Turn | undefined;

  /** Returns true if a claimed run may continue; otherwise it must be released. */
  admit({ id, stalls }: ClaimedRun, now: number): boolean {
    if (stalls === 0) return true;
    if (this.#isTaken(now)) return false;
    const quietUntil = stalls > 1 ? now + quietMs : now;
    this.#turn = { id, endsAt: now + turnMs, quietUntil, hasProgress: false };
    return true;
  }

  /** Adds a run that was released and can be claimed again. */
  add(run: ClaimedRun): void {
    if (this.#waiting.size < hintsMax) this.#waiting.add([run.org_id], toHint(run));
  }

  /** Takes the next run to claim, unless another run has its turn. */
  take(now: number, mayTake: (orgId: string) => boolean): RunHint | undefined {
    return this.#isTaken(now) ? undefined : this.#waiting.take(([orgId]) => mayTake(orgId));
  }

  /** Returns the milliseconds for which nothing may be claimed. */
  quietMs(now: number): number {
    return this.#isTaken(now) ? Math.max(0, Math.min(this.#turn!.quietUntil, this.#turn!.endsAt) - now) : 0;
  }

  /** Returns the milliseconds until another run gets its turn; `Infinity` if none waits. */
  turnInMs(now: number): number {
    return this.#waiting.size > 0 && this.#isTaken(now) ? this.#turn!.endsAt - now : Infinity;
  }

  /** Records progress of a run, which is then most likely not the cause. Returns true if this shortens its turn. */
  progress(id: string, now: number): boolean {
    if (this.#turn?.id !== id || this.#turn.hasProgress) return false;
    this.#turn = { ...this.#turn, endsAt: now + afterProgressMs, hasProgress: true };
    return true;
  }

  end(id: string): void {
    if (this.#turn?.id === id) this.#turn = undefined;
  }

  #isTaken(now: number): boolean {
    return this.#turn !== undefined && now < this.#turn.endsAt;
  }
}
