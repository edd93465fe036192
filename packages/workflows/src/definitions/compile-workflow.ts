import { parseDurationMs } from '@relata/runtime';
import type { EvaluationContext, KnownValue } from '@relata/expressions';
import { findSteps } from './checks/check-steps.ts';
import type { Definition, StepDefinition } from './definition.ts';
import { type ReadWorkflow, readWorkflow } from './read-definition.ts';
import { type OwnExpressions, readExpressions, readOwnExpressions, type StepExpressions } from './step-expressions.ts';
import { allowedAttempts } from './step-outline.ts';
import type { StepExecutor } from './steps/step-kind.ts';
import { findStepKind, type StepUseOf } from './steps/step-kinds.ts';

/** A workflow ready to run, without its compiled expressions, which take up to a hundred times as much memory. */
export interface CompiledWorkflow {
  name: string;
  steps: readonly CompiledStep[];
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

/** Cache of compiled expressions by step. It may evict any entry: the step then compiles its expressions again. */
export type KeptExpressions = Pick<Map<StepDefinition, OwnExpressions>, 'get'> & {
  set(step: StepDefinition, expressions: OwnExpressions): unknown;
};

/** Validates a definition and compiles it. Throws DefinitionError with all its faults. */
export function compileWorkflow(json: unknown, kept?: KeptExpressions): CompiledWorkflow {
  return compileRead(readWorkflow(json), kept);
}

/** Compiles a definition that has been validated before. */
export function compileDefinition(definition: Definition): CompiledWorkflow {
  const { steps } = readExpressions(definition, findSteps(definition.steps));
  return compileRead({ definition, expressions: steps });
}

function compileRead({ definition, expressions }: ReadWorkflow, kept: KeptExpressions = new Map()): CompiledWorkflow {
  const roots = new Set<string>();
  const steps = compileSteps(definition.steps, expressions, { definition, kept, roots });
  return { name: definition.name, steps, usesPayload: roots.has('payload') || roots.has('delivery') };
}

interface Compiling {
  definition: Definition;
  kept: KeptExpressions;
  /** Collects the roots that the expressions read. */
  roots: Set<string>;
}

function compileSteps(
  steps: readonly StepDefinition[],
  expressions: readonly StepExpressions[],
  compiling: Compiling,
): CompiledStep[] {
  return steps.map((step, i) => compileStep(step, expressions[i]!, compiling));
}

function compileStep(
  step: StepDefinition,
  { when, with: input, steps }: StepExpressions,
  compiling: Compiling,
): CompiledStep {
  const { id, use, on_error: onError = 'fail' } = step;
  const { executor } = findStepKind(use)!;
  for (const root of [...(when?.roots ?? []), ...input!.roots]) compiling.roots.add(root);
  compiling.kept.set(step, { when, with: input });
  return {
    id,
    use,
    executor,
    ...evaluating(step, compiling),
    secrets: [...input!.secrets],
    retry: retryOf(step, executor),
    timeoutMs: parseDurationMs(step.timeout ?? '10s')!,
    onError,
    steps: compileSteps(step.steps ?? [], steps, compiling),
  } as CompiledStep;
}

/** Returns the functions that evaluate a step. They hold its definition, but not its compiled expressions. */
function evaluating(
  step: StepDefinition,
  { definition, kept }: Compiling,
): Pick<CompiledStep, 'when' | 'with' | 'known'> {
  const compileAgain = () => {
    const own = readOwnExpressions(definition, step);
    kept.set(step, own);
    return own;
  };
  const expressions = () => kept.get(step) ?? compileAgain();
  return {
    when: step.when === undefined ? undefined : (context) => expressions().when!.test(context),
    with: (context) => expressions().with!.evaluate(context) as Record<string, unknown>,
    known: (context) => expressions().with!.evaluateKnown(context),
  };
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
