import { storableJson } from '@relata/expressions';
import { jittered } from '@relata/runtime';
import type { RunOutcome } from '@relata/workflows/execution';
import { explainStepError, permanent } from '../../steps/step.error.ts';
import type { Ending } from '../ending.ts';
import type { Execution } from '../execution-context.ts';
import type { EntryOf } from '../run-journal.ts';
import { runLogIds } from '../run-trace.ts';
import { StepFailure, type Visit, type Visited } from '../visit.ts';
import type { Walk } from '../walk.ts';

/** Maximum number of steps in one transaction, so that its locks are released soon. */
export const groupStepsMax = 50;

const postponeMs = 2_000;

/**
 * A pass over the steps of a run. `settle`, `skip`, `enter` and `fail` add to the journal, advance the walk and return
 * the next visit. `write`, `attempt`, `wait`, `postpone` and `end` commit, and so does `beginRecords` if entries must be
 * written before a record step. `executeRecords` commits record steps with their entries.
 */
export class Pass {
  readonly execution: Execution;
  #walking!: Walk;
  readonly #walkAgain: () => Promise<Walk>;
  readonly #writesFirst: boolean;
  #stepsAlone = 0;

  /**
   * `walkAgain` loads the journal again, and returns a walk that continues after its last entry. If `writesFirst` is
   * true, earlier entries are written before a record step, so that the walk continues there after a rollback.
   */
  constructor(execution: Execution, walkAgain: () => Promise<Walk>, writesFirst: boolean) {
    this.execution = execution;
    this.#walkAgain = walkAgain;
    this.#writesFirst = writesFirst;
  }

  begin(walk: Walk): Visited {
    this.#walking = walk;
    return this.#walking.next();
  }

  /** Restarts the walk after the last entry in the database, since all later work was rolled back. */
  async restart(): Promise<Visited> {
    this.#walking = await this.#walkAgain();
    return this.#walking.next();
  }

  /** Makes each of the next steps run in its own transaction, so that the failing step is known. */
  runStepsAlone(): void {
    this.#stepsAlone = groupStepsMax;
  }

  /** Returns true if the next step must run in its own transaction, and counts that step. */
  takeStepAlone(): boolean {
    if (this.#stepsAlone === 0) return false;
    this.#stepsAlone--;
    return true;
  }

  /**
   * Records that a step has succeeded; the next commit writes the entry. `text` is the output as JSON, if it is already
   * serialized. Throws RunTooLargeError, without recording anything, if the run would carry too much.
   */
  settle(visit: Visit, entry: EntryOf, output: unknown, text = storableJson(output)): Visited {
    const { memory, journal } = this.execution;
    if (visit.kind === 'leave') memory.leaveLoop();
    memory.add(visit.path, text);
    journal.add(visit, { ...entry, output: text });
    return this.#walking.next(output);
  }

  skip(visit: Visit): Visited {
    this.execution.journal.add(visit, { status: 'skipped', attempts: 0 });
    return this.#walking.next(null);
  }

  /** Records that a loop was entered; `text` is its items as JSON. */
  enter(visit: Visit, items: unknown[], text: string): Visited {
    const { memory, journal } = this.execution;
    memory.enter(text);
    journal.add(visit, { status: 'running', attempts: 1, input: `{"items":${text}}` });
    return this.#walking.next(items);
  }

  /**
   * Records that a step failed and will not be retried. If its definition allows, the run continues; otherwise the run
   * ends with a StepFailure.
   */
  fail(visit: Visit, thrown: unknown, tried: Partial<EntryOf> = {}): Visited {
    const { step, path, kind } = visit;
    const { journal, log, memory, metrics, run } = this.execution;
    if (kind === 'fail') memory.leaveLoop();
    // A loop fails with the error of the step that failed inside it.
    const { error, isFault } = thrown instanceof StepFailure ? permanent(thrown.error) : explainStepError(thrown);
    if (isFault) log.error({ err: thrown, ...runLogIds(run), step: path }, 'step failed with an internal error');
    metrics.stepDone(step.use, 'failed', 0);
    const isPassedOver = step.onError === 'continue';
    const entry = { attempts: 1, ...tried, status: 'failed' as const };
    journal.add(visit, { ...entry, error: isPassedOver ? { ...error, passed_over: true } : error });
    return isPassedOver ? this.#walking.next(null) : this.#walking.throw(new StepFailure({ step: path, ...error }));
  }

  /** Writes the unwritten entries if they must be written before a record step. */
  async beginRecords(): Promise<void> {
    if (this.#writesFirst && this.execution.journal.hasUnwritten)
      await this.#commit({ status: 'running', leaseMs: this.execution.leaseMs });
  }

  /** Writes all unwritten entries. The result of a call to another system must be written before the next step. */
  async write(visited: Visited): Promise<Visited> {
    if (!visited.done) await this.#commit({ status: 'running', leaseMs: this.execution.leaseMs });
    return visited;
  }

  /** Records that an attempt is about to begin, so that the next worker knows of it if this worker is lost. */
  async attempt(visit: Visit, entry: EntryOf): Promise<void> {
    const { journal, leaseMs } = this.execution;
    journal.add(visit, entry);
    await this.#commit({ status: 'running', leaseMs, isRepeated: visit.known?.status === 'running' });
  }

  /** Makes the run wait. It occupies no worker in the meantime. */
  async wait(visit: Visit, entry: EntryOf): Promise<Ending> {
    this.execution.journal.add(visit, entry);
    return { kind: 'waiting', wakeAt: (await this.#commit({ status: 'waiting' }))! };
  }

  /** Postpones the run, which releases its memory, because the organization's share of memory is used up. */
  async postpone(): Promise<Ending> {
    return { kind: 'waiting', wakeAt: (await this.#commit({ status: 'waiting', inMs: jittered(postponeMs) }))! };
  }

  async end(outcome: Extract<RunOutcome, { status: 'succeeded' | 'failed' }>): Promise<Ending> {
    await this.#commit(outcome);
    return { kind: 'ended', ...outcome };
  }

  async #commit(outcome: RunOutcome): Promise<string | null> {
    const { journal, executor, run } = this.execution;
    const wakeAt = await journal.write(executor.plain(run.org_id), outcome);
    // A run that has stalled more than once makes no progress by starting the same call again: a call whose response
    // kills the worker gets this far each time.
    if (outcome.status === 'running' && outcome.isRepeated && run.stalls > 1) journal.committed();
    else this.committed();
    return wakeAt;
  }

  /** Records that the unwritten entries have been committed, and reports this as progress of the run. */
  committed(): void {
    const { run, journal } = this.execution;
    this.execution.committed(run, journal.committed());
  }
}
