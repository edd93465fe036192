import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, JournalRow, StepError, StepExecutor } from '@relata/workflows/execution';

/** The next action in a walk over a run's steps. */
export interface Visit {
  /**
   * `step` executes a step, `enter` evaluates the items of a loop, `leave` ends a loop with its output, `fail` ends a
   * loop with the failure of a step inside it.
   */
  kind: 'step' | 'enter' | 'leave' | 'fail';
  step: CompiledStep;
  path: string;
  context: EvaluationContext;
  /** Journal entry of an earlier attempt or an earlier worker. */
  known: JournalRow | undefined;
  /** Output of the loop, for `leave`. */
  output?: unknown;
  /** Failure inside the loop, for `fail`. */
  failure?: StepFailure;
}

/** The next visit of the walk, or its end. */
export type Visited = IteratorResult<Visit, unknown>;

export type VisitOf<Executor extends StepExecutor> = Visit & { step: Extract<CompiledStep, { executor: Executor }> };

/** The failure of a step that is not retried. Thrown into the walk at that step, it ends the loop or the walk. */
export class StepFailure extends Error {
  override name = 'StepFailure';
  readonly error: StepError;

  constructor(error: StepError) {
    super(error.message);
    this.error = error;
  }
}

/** Returns true if the step's condition is false. */
export function isSkipped({ step, context }: Visit): boolean {
  return step.when !== undefined && !step.when(context);
}
