import type { RunOutcome } from '@relata/workflows';
import { type ExplainedError, explainStepError } from '../steps/step.error.ts';
import type { Ending, Execution, Visited } from './execution.ts';
import type { EntryOf } from './run-journal.ts';
import { StepFailure, type Visit } from './visit.ts';
import type { Walk } from './walk.ts';

/** One walk over a run's steps: what became of each is written down, and the walk goes on. */
export class Pass {
  readonly at: Execution;
  readonly #walking: Walk;

  constructor(at: Execution, walking: Walk) {
    this.at = at;
    this.#walking = walking;
  }

  begin(): Visited {
    return this.#walking.next();
  }

  /** A step is done or skipped; it is written with whatever is written next. */
  settle(visit: Visit, entry: Omit<EntryOf, 'attempts'> & { attempts?: number }, output: unknown): Visited {
    this.at.journal.add(visit, { attempts: 0, ...entry });
    return this.#walking.next(output);
  }

  /** A step failed for good: the run goes on where its definition says so, else it ends by a StepFailure. */
  fail(visit: Visit, thrown: unknown, tried: Partial<EntryOf> = {}): Visited {
    const { step, path } = visit;
    const { error, isFault } = thrown instanceof StepFailure ? inner(thrown) : explainStepError(thrown);
    if (isFault) this.at.log.error({ err: thrown, run_id: this.at.run.id, step: path }, 'a step failed of our fault');
    this.at.onStep(step.use, 'failed', 0);
    const isPassedOver = step.onError === 'continue';
    const entry = { attempts: 1, ...tried, status: 'failed' as const };
    this.at.journal.add(visit, { ...entry, error: isPassedOver ? { ...error, passed_over: true } : error });
    return isPassedOver ? this.#walking.next(null) : this.#walking.throw(new StepFailure({ step: path, ...error }));
  }

  /** Writes what is not written yet. What another system was called for must be written before anything else is tried. */
  async write(visited: Visited): Promise<Visited> {
    if (!visited.done) await this.#commit({ status: 'running', leaseMs: this.at.leaseMs });
    return visited;
  }

  /** An attempt begins, and says so before it does. */
  async attempt(visit: Visit, entry: EntryOf): Promise<void> {
    this.at.journal.add(visit, entry);
    await this.#commit({ status: 'running', leaseMs: this.at.leaseMs });
  }

  /** The run goes on later, and is nobody's until then. */
  async wait(visit: Visit, entry: EntryOf): Promise<Ending> {
    this.at.journal.add(visit, entry);
    return { kind: 'waiting', wakeAt: (await this.#commit({ status: 'waiting' }))! };
  }

  async end(outcome: Extract<RunOutcome, { status: 'succeeded' | 'failed' }>): Promise<Ending> {
    await this.#commit(outcome);
    return { kind: 'ended', status: outcome.status };
  }

  async #commit(outcome: RunOutcome): Promise<string | null> {
    const wakeAt = await this.at.journal.write(this.at.database, outcome);
    this.committed();
    return wakeAt;
  }

  /** What the journal has written is there to stay. */
  committed(): void {
    if (this.at.journal.committed()) this.at.onFirstCommit();
  }
}

/** A loop fails of what failed inside of it. */
function inner({ error }: StepFailure): ExplainedError {
  return { error, isRetryable: false, isFault: false };
}
