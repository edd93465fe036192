import { parseDurationMs } from '@relata/runtime';
import {
  afterStep,
  compileCondition,
  compileTemplate,
  type EvaluationContext,
  insideLoop,
  type KnownValue,
  type Names,
  workflowNames,
} from '@relata/expressions';
import { findSteps } from './checks/check-steps.ts';
import type { Definition, InputSpec, StepDefinition } from './definition.ts';
import { maxAttemptsOf } from './max-attempts.ts';
import type { StepExecutor } from './steps/step-kind.ts';
import { findStepKind, type StepUseOf } from './steps/step-kinds.ts';

/** A definition ready to be run, which costs enough to be done once and kept. */
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
  /** Throws ExpressionError, as `with` does. */
  when: ((context: EvaluationContext) => boolean) | undefined;
  /** The values of `with`, to be read only. */
  with: (context: EvaluationContext) => Record<string, unknown>;
  /** The same for a context of which some is unknown. */
  known: (context: EvaluationContext) => KnownValue;
  /** Names of the secrets that `with` reads. */
  secrets: readonly string[];
  retry: { maxAttempts: number; initialDelayMs: number; maxDelayMs: number };
  timeoutMs: number;
  onError: 'fail' | 'continue';
  /** The steps of a loop; else empty. */
  steps: readonly CompiledStep[];
}

/** A step ready to be executed; its executor says what it may `use`. */
export type CompiledStep = { [Executor in StepExecutor]: CompiledStepOf<Executor> }[StepExecutor];

/** Compiles a definition that `readDefinition` has found to be without fault. */
export function compileWorkflow(definition: Definition): CompiledWorkflow {
  const { name, inputs, steps, max_running: maxRunning } = definition;
  const types = new Map(Object.entries(inputs).map(([input, { type }]) => [input, type]));
  const ids = findSteps(steps).map(({ step }) => (step as StepDefinition).id);
  const roots = new Set<string>();
  const compiled = compileSteps(steps, workflowNames(types, new Set(ids)), roots);
  return {
    name,
    inputs,
    steps: compiled,
    maxRunning: maxRunning ?? null,
    usesPayload: roots.has('payload') || roots.has('delivery'),
  };
}

function compileSteps(steps: readonly StepDefinition[], names: Names, roots: Set<string>): CompiledStep[] {
  let before = names;
  return steps.map((step) => {
    const compiled = compileStep(step, before, roots);
    before = afterStep(before, step.id, findStepKind(step.use)?.output);
    return compiled;
  });
}

function compileStep(step: StepDefinition, names: Names, roots: Set<string>): CompiledStep {
  const { id, use, on_error: onError = 'fail' } = step;
  const when = step.when === undefined ? undefined : compileCondition(step.when, names);
  const { executor, rules } = findStepKind(use)!;
  const input = compileTemplate(step.with, names, ['with'], rules);
  for (const root of [...(when?.roots ?? []), ...input.roots]) roots.add(root);
  return {
    id,
    use,
    executor,
    when: when?.test,
    with: input.evaluate as CompiledStep['with'],
    known: input.evaluateKnown,
    secrets: [...input.secrets],
    retry: retryOf(step, executor),
    timeoutMs: parseDurationMs(step.timeout ?? '10s')!,
    onError,
    steps: step.steps === undefined ? [] : compileSteps(step.steps, insideLoop(names), roots),
  } as CompiledStep;
}

function retryOf({ retry = {} }: StepDefinition, executor: StepExecutor): CompiledStep['retry'] {
  const initialDelayMs = parseDurationMs(retry.initial_delay ?? '1s')!;
  return {
    maxAttempts: maxAttemptsOf(executor, retry.max_attempts),
    initialDelayMs,
    maxDelayMs: Math.max(initialDelayMs, parseDurationMs(retry.max_delay ?? '5m')!),
  };
}
