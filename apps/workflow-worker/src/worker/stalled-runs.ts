import { FairQueue } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { nameOf, type RunName } from './run-names.ts';

/** How long nothing is claimed beside a run that has stalled again. */
const quietMs = 5_000;

/** After so long the next one has its turn; soon after a run has come further, which may only wait for an answer now. */
const turnMs = 10_000;
const furtherMs = 500;

/** Names that are kept; the sweep finds any more. */
const namesMax = 1_000;

/**
 * Runs whose worker was lost: one of them may be the cause. They are executed one at a time, so that no other
 * one is lost with it for another time; those that wait are given back, since what is not claimed cannot stall. Beside
 * one that stalls again nothing is claimed for a while.
 */
export class StalledRuns {
  readonly #onTurn: (name: RunName) => void;
  readonly #waiting = new FairQueue<RunName>();
  #current: { id: string; timer: NodeJS.Timeout; hasProgress: boolean } | undefined;
  #quiet: { over: Promise<void>; end: () => void } | undefined;

  /** `onTurn` is given the name of a run that was not admitted, when it may be claimed again. */
  constructor(onTurn: (name: RunName) => void) {
    this.#onTurn = onTurn;
  }

  /** Pending while nothing is to be claimed. */
  get quiet(): Promise<void> | undefined {
    return this.#quiet?.over;
  }

  /** Returns true if the run may go on now; else it is to be given back. */
  admit(run: ClaimedRun): boolean {
    const { org_id: orgId, id, stalls } = run;
    if (stalls === 0) return true;
    if (this.#current) {
      if (this.#waiting.size < namesMax) this.#waiting.add([orgId], nameOf(run));
      return false;
    }
    this.#current = { id, timer: this.#endIn(turnMs, id), hasProgress: false };
    if (stalls > 1) this.#beQuiet();
    return true;
  }

  /** A run has come further: most likely it is not the one. */
  progress(id: string): void {
    if (this.#current?.id !== id || this.#current.hasProgress) return;
    clearTimeout(this.#current.timer);
    this.#current = { id, timer: this.#endIn(furtherMs, id), hasProgress: true };
  }

  /** A run has ended, or its turn has. */
  end(id: string): void {
    if (this.#current?.id !== id) return;
    clearTimeout(this.#current.timer);
    this.#current = undefined;
    this.#quiet?.end();
    this.next();
  }

  /** Gives the next run its turn unless one has it: another worker may have taken the one whose turn it was. */
  next(): void {
    if (this.#current) return;
    const next = this.#waiting.take();
    if (next) this.#onTurn(next);
  }

  #endIn(ms: number, id: string): NodeJS.Timeout {
    return setTimeout(() => this.end(id), ms).unref();
  }

  #beQuiet(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => end(), quietMs).unref();
    const end = () => {
      clearTimeout(timer);
      this.#quiet = undefined;
      resolve();
    };
    this.#quiet = { over: promise, end };
  }
}
