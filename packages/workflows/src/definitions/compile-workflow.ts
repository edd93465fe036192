import { parseDurationMs } from '@relata/runtime';
import type { EvaluationContext, KnownValue } from '@relata/expressions';
import { findSteps } from './checks/check-steps.ts';
import type { Definition, StepDefinition } from './definition.ts';
import type { InputSpec } from './input-value.ts';
import { type ReadWorkflow, readWorkflow } from './read-definition.ts';
import { readExpressions, type StepExpressions } from './step-expressions.ts';
import { allowedAttempts } from './step-outline.ts';
import type { StepExecutor } from './steps/step-kind.ts';
import { findStepKind, type StepUseOf } from './steps/step-kinds.ts';

/** A workflow ready to run. Compiling is expensive, so keep the result. */
export interface CompiledWorkflow {
  name: string;
  inputs: Record<string, InputSpec>;
  steps: readonly CompiledStep[];
  maxRunning: number | null;
  /** True if an expression reads the payload or the delivery, which are not loaded otherwise. */
  usesPayload: boolean;
}

export interface CompiledStepOf<Executor extends StepExecutor> {
  id: string;
  use: StepUseOf<Executor>;
  executor: Executor;
  /** Evaluates `when`; undefined if the step has no condition. Throws ExpressionError, like `with`. */
  when: ((context: EvaluationContext) => boolean) | undefined;
  /** Evaluates `with`. Do not change the result. */
  with: (context: EvaluationContext) => Record<string, unknown>;
  /** Like `with`, for a context in which some values are unknown. */
  known: (context: EvaluationContext) => KnownValue;
  /** Names of the secrets that `with` reads. */
  secrets: readonly string[];
  retry: { maxAttempts: number; initialDelayMs: number; maxDelayMs: number };
  timeoutMs: number;
  onError: 'fail' | 'continue';
  /** Steps of a loop; empty for other kinds. */
  steps: readonly CompiledStep[];
}

/** A step ready to run; its executor determines the possible values of `use`. */
export type CompiledStep = { [Executor in StepExecutor]: CompiledStepOf<Executor> }[StepExecutor];

/** Validates a definition and compiles it. Throws DefinitionError with all its faults. */
export function compileWorkflow(json: unknown): CompiledWorkflow {
  return compileRead(readWorkflow(json));
}

/** Compiles a definition that has been validated before. */
export function compileDefinition(definition: Definition): CompiledWorkflow {
  const { steps } = readExpressions(definition, findSteps(definition.steps));
  return compileRead({ definition, expressions: steps });
}

function compileRead({ definition, expressions }: ReadWorkflow): CompiledWorkflow {
  const { name, inputs, steps, max_running: maxRunning } = definition;
  const roots = new Set<string>();
  return {
    name,
    inputs,
    steps: compileSteps(steps, expressions, roots),
    maxRunning: maxRunning ?? null,
    usesPayload: roots.has('payload') || roots.has('delivery'),
  };
}

function compileSteps(
  steps: readonly StepDefinition[],
  expressions: readonly StepExpressions[],
  roots: Set<string>,
): CompiledStep[] {
  return steps.map((step, i) => compileStep(step, expressions[i]!, roots));
}

function compileStep(
  step: StepDefinition,
  { when, with: input, steps }: StepExpressions,
  roots: Set<string>,
): CompiledStep {
  const { id, use, on_error: onError = 'fail' } = step;
  const { executor } = findStepKind(use)!;
  for (const root of [...(when?.roots ?? []), ...input!.roots]) roots.add(root);
  return {
    id,
    use,
    executor,
    when: when?.test,
    with: input!.evaluate as CompiledStep['with'],
    known: input!.evaluateKnown,
    secrets: [...input!.secrets],
    retry: retryOf(step, executor),
    timeoutMs: parseDurationMs(step.timeout ?? '10s')!,
    onError,
    steps: compileSteps(step.steps ?? [], steps, roots),
  } as CompiledStep;
}

function retryOf({ retry = {} }: StepDefinition, executor: StepExecutor): CompiledStep['retry'] {
  const maxDelayMs = parseDurationMs(retry.max_delay ?? '5m')!;
  const initialDelayMs =
    retry.initial_delay === undefined ? Math.min(1_000, maxDelayMs) : parseDurationMs(retry.initial_delay)!;
  return {
    maxAttempts: allowedAttempts(executor, retry.max_attempts),
    initialDelayMs,
    maxDelayMs: Math.max(initialDelayMs, maxDelayMs),
  };
}
