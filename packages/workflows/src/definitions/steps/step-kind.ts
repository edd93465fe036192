import type { z } from 'zod';
import type { MemberRules, StepOutput } from '@relata/expressions';

/**
 * How a step is executed: in a transaction on the database, by a call to another system, by waiting, or by running
 * further steps.
 */
export type StepExecutor = 'record' | 'network' | 'timer' | 'loop';

/** A step without its id, as an author would write it. */
export interface StepExample {
  readonly with: Readonly<Record<string, unknown>>;
  readonly steps?: readonly (StepExample & { readonly use: string })[];
}

/** A kind of step: its name, its executor, the schema of its `with`, and its output. */
export interface StepKind<Use extends string = string, Executor extends StepExecutor = StepExecutor> {
  readonly use: Use;
  /** A sentence for authors of workflows, beginning with a verb. */
  readonly summary: string;
  /** An example that reads only the payload, so that it is valid in any workflow. */
  readonly example: StepExample;
  readonly executor: Executor;
  readonly with: z.ZodType;
  readonly output: StepOutput;
  /** Special rules for expressions in some members of `with`. */
  readonly rules?: MemberRules;
}

export function stepKind<Use extends string, Executor extends StepExecutor>(
  kind: StepKind<Use, Executor>,
): StepKind<Use, Executor> {
  return kind;
}
