import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, JournalRow, StepError, StepExecutor } from '@relata/workflows/execution';

/** A request of the walk over a run's steps to do something next. */
export interface Visit {
  /** `enter` evaluates the items of a loop, `leave` ends it with its output, `fail` ends it with the failure inside. */
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

/**
 * Thrown into the walk at a step that failed for good. The walk throws it on unless the definition says to continue
 * after the failure.
 */
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
