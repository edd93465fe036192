import {
  copyWithUnknown,
  defineUnknown,
  type EvaluationContext,
  ExpressionError,
  UnknownValueError,
} from '@relata/expressions';
import { type CompiledStep, compileDefinition } from '../definitions/compile-workflow.ts';
import type { Definition } from '../definitions/definition.ts';
import { creationFault, loopInputs, recordInputs, timerInputs } from '../definitions/step-inputs.ts';
import type { StepError } from '../runs/run.sql.ts';
import { inTime, type TimeSlicer } from '../time-slicer.ts';
import { toStepError } from './step-fault.ts';

export interface FailingStep {
  /** Path in the journal, such as `each[2].contact`. */
  step: string;
  code: string;
  message: string;
  /** False if the failure depends on outputs of earlier steps or on the current records. */
  is_certain: boolean;
}

/** How to continue after a failed run, with the expected result. */
export interface RetryOption {
  /** Version of the workflow that it uses; undefined if this option is not possible. */
  version: number | undefined;
  /** Reason why this option is not possible; undefined if it is. */
  refusal: string | undefined;
  /** The step that would or might fail; undefined if none is found. */
  fails: FailingStep | undefined;
}

/** A step in the journal of a run. `output` is null unless the step succeeded. */
export interface DoneStep {
  isDone: boolean;
  output: unknown;
  /** Items of a loop that was entered. */
  items?: unknown[] | undefined;
}

interface Simulation {
  /** Called between steps; throws if the time is used up. */
  pause: () => void | Promise<void>;
  done: ReadonlyMap<string, DoneStep>;
  doubt: FailingStep | undefined;
}

/** Represents an output that is unknown until its step is executed. */
const unknown = Symbol('unknown');

type Outcome = { output: unknown } | { fails: FailingStep };

/**
 * Walks through the steps of a workflow like a worker, but executes none. Returns the first step that fails regardless
 * of the results of earlier steps, otherwise the first step that may fail. Checks expressions and the rules of records,
 * but not calls or the contents of the database. Expressions that read an unknown output are skipped.
 */
export async function simulateSteps(
  steps: readonly CompiledStep[],
  context: EvaluationContext,
  { pause, done = new Map() }: Pick<Simulation, 'pause'> & { done?: ReadonlyMap<string, DoneStep> | undefined },
): Promise<FailingStep | undefined> {
  const at: Simulation = { pause, done, doubt: undefined };
  const outcome = await simulateAll(steps, { ...context, steps: {} }, '', at);
  return outcome ?? at.doubt;
}

/** Simulates a workflow like `simulateSteps`. Returns undefined if the time of the slicer is used up first. */
export function simulateInTime(
  definition: Definition,
  context: EvaluationContext,
  slicer: TimeSlicer,
  done?: ReadonlyMap<string, DoneStep>,
): Promise<FailingStep | undefined> {
  return inTime(async () =>
    simulateSteps(compileDefinition(definition).steps, context, { pause: () => slicer.pause(), done }),
  );
}

async function simulateAll(steps: readonly CompiledStep[], context: EvaluationContext, prefix: string, at: Simulation) {
  for (const step of steps) {
    await at.pause();
    const outcome = await simulateOne(step, context, `${prefix}${step.id}`, at);
    if ('fails' in outcome) return outcome.fails;
    if (outcome.output === unknown) defineUnknown(context.steps, step.id);
    else (context.steps as Record<string, unknown>)[step.id] = outcome.output;
  }
  return undefined;
}

async function simulateOne(
  step: CompiledStep,
  context: EvaluationContext,
  path: string,
  at: Simulation,
): Promise<Outcome> {
  const known = at.done.get(path);
  if (known?.isDone) return { output: known.output };
  const isMet = conditionOf(step, context);
  if (isMet === false) return { output: null };
  const fails: PredictedFault | undefined =
    isMet instanceof ExpressionError ? toStepError(isMet, []) : await faultIn(step, context, path, at);
  if (!fails) return { output: unknown };
  const isCertain = isMet !== undefined && fails.is_certain !== false;
  const failing = { step: path, ...fails, is_certain: isCertain };
  if (!failing.is_certain) at.doubt ??= failing;
  if (step.onError === 'continue') return { output: failing.is_certain ? null : unknown };
  return failing.is_certain ? { fails: failing } : { output: unknown };
}

/** Evaluates `when`. Returns undefined if it depends on an unknown value, and the error if its evaluation fails. */
function conditionOf({ when }: CompiledStep, context: EvaluationContext): boolean | undefined | ExpressionError {
  try {
    return when === undefined || when(context);
  } catch (error) {
    if (error instanceof UnknownValueError) return undefined;
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

type PredictedFault = StepError & { is_certain?: boolean };

async function faultIn(
  step: CompiledStep,
  context: EvaluationContext,
  path: string,
  at: Simulation,
): Promise<PredictedFault | undefined> {
  const entered = at.done.get(path)?.items;
  if (step.executor === 'loop' && entered) return roundsOf(step, entered, context, path, at);
  try {
    const { value, unknown: missing } = step.known(context);
    const input = value as Record<string, unknown>;
    try {
      if (step.executor === 'record') return recordFault(step.use, input, missing.length === 0);
      if (missing.length > 0) return undefined;
      if (step.executor === 'timer') timerInputs[step.use](input);
      if (step.executor === 'loop') return await roundsOf(step, loopInputs[step.use](input), context, path, at);
      return undefined;
    } catch (error) {
      return toStepError(error, missing);
    }
  } catch (error) {
    return toStepError(error, []);
  }
}

function recordFault(
  use: keyof typeof recordInputs,
  input: Record<string, unknown>,
  isWhole: boolean,
): PredictedFault | undefined {
  recordInputs[use](input);
  const fault = isWhole ? creationFault(use, input) : undefined;
  const found = fault === undefined ? undefined : toStepError(fault, []);
  return found && { ...found, message: `If no record matches: ${found.message}`, is_certain: false };
}

/** Simulates the iterations of a loop. The loop fails if a step of an iteration fails. */
async function roundsOf(
  step: CompiledStep,
  items: readonly unknown[],
  context: EvaluationContext,
  path: string,
  at: Simulation,
): Promise<PredictedFault | undefined> {
  for (const [index, item] of items.entries()) {
    const inner = { ...context, steps: copyWithUnknown(context.steps), item, index };
    const failing = await simulateAll(step.steps, inner, `${path}[${index}].`, at);
    if (failing) return failing;
  }
  return undefined;
}
