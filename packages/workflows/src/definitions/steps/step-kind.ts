import type { z } from 'zod';
import type { MemberRules, StepOutput } from '@relata/expressions';

/**
 * How a step is carried out: in a transaction on the database, by a call to another system, by waiting, or by running
 * further steps.
 */
export type StepExecutor = 'record' | 'network' | 'timer' | 'loop';

/** A step without its id, as an author would write it. */
export interface StepExample {
  readonly with: Readonly<Record<string, unknown>>;
  /** The steps of a loop. */
  readonly steps?: readonly (StepExample & { readonly use: string })[];
}

/** One kind of step: the name it is used by, how it is carried out, what stands in its `with`, and what it leaves. */
export interface StepKind<Use extends string = string, Executor extends StepExecutor = StepExecutor> {
  readonly use: Use;
  /** A sentence for authors of workflows, beginning with a verb. */
  readonly summary: string;
  /** Reads only the payload, so that it is without a fault in any workflow. */
  readonly example: StepExample;
  readonly executor: Executor;
  readonly with: z.ZodType;
  /** All that its output may have. */
  readonly output: StepOutput;
  /** How the expressions of some members of `with` differ from all others. */
  readonly rules?: MemberRules;
}

export function stepKind<Use extends string, Executor extends StepExecutor>(
  kind: StepKind<Use, Executor>,
): StepKind<Use, Executor> {
  return kind;
}
