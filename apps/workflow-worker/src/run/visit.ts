import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, JournalRow, StepError, StepExecutor } from '@relata/workflows/execution';

/** Something that the walk over a run's steps asks to be done next. */
export interface Visit {
  /** `enter` evaluates a loop's items, `leave` ends it with its output, `fail` ends it with what failed inside. */
  kind: 'step' | 'enter' | 'leave' | 'fail';
  step: CompiledStep;
  path: string;
  context: EvaluationContext;
  /** What is known of it from an earlier attempt or an earlier worker. */
  known: JournalRow | undefined;
  /** Of `leave`. */
  output?: unknown;
  /** Of `fail`. */
  failure?: StepFailure;
}

/** A visit to a step of these executors. */
export type VisitOf<Executor extends StepExecutor> = Visit & { step: Extract<CompiledStep, { executor: Executor }> };

/** Thrown into the walk at a step that failed for good, and out of it where nothing passes the failure over. */
export class StepFailure extends Error {
  override name = 'StepFailure';
  readonly error: StepError;

  constructor(error: StepError) {
    super(error.message);
    this.error = error;
  }
}

/** Returns true if the step's condition does not hold. */
export function isSkipped({ step, context }: Visit): boolean {
  return step.when !== undefined && !step.when(context);
}
