import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, JournalRow } from '@relata/workflows/execution';
import { StepFailure, type Visit } from './visit.ts';

/**
 * Generator of visits. It is resumed with the result of each visit: the output of the step, or null if the step was
 * skipped, or if it failed and the definition says to continue.
 */
export type Walk = Generator<Visit, unknown, unknown>;

export interface Walked {
  context: EvaluationContext;
  journal: ReadonlyMap<string, JournalRow>;
}

/**
 * Walks through the steps of a run in order and yields those still to be executed. The results of the others come from
 * the journal. An interrupted run continues by walking again. Returns the output of the last step.
 */
export function* walk(steps: readonly CompiledStep[], at: Walked, prefix = ''): Walk {
  let last: unknown = null;
  for (const step of steps) {
    const path = `${prefix}${step.id}`;
    const known = at.journal.get(path);
    const visit: Visit = { kind: 'step', step, path, context: at.context, known };
    if (known && isDone(known)) last = outcomeOf(known);
    else last = step.executor === 'loop' ? yield* walkLoop(visit, at) : yield visit;
    (at.context.steps as Record<string, unknown>)[step.id] = last;
  }
  return last;
}

/** Walks through a loop. It keeps the items with which it was entered, even if the expression now yields others. */
function* walkLoop(visit: Visit, at: Walked): Walk {
  const { step, path, known } = visit;
  const items = (itemsOf(known) ?? (yield { ...visit, kind: 'enter' })) as unknown[] | null;
  // The loop was skipped, or its items could not be evaluated and the definition says to continue.
  if (items === null) return null;
  try {
    const output: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const context = { ...at.context, steps: { ...at.context.steps }, item, index };
      output.push(yield* walk(step.steps, { ...at, context }, `${path}[${index}].`));
    }
    return yield { ...visit, kind: 'leave', output };
  } catch (failure) {
    if (!(failure instanceof StepFailure)) throw failure;
    return yield { ...visit, kind: 'fail', failure };
  }
}

function itemsOf(known: JournalRow | undefined): unknown[] | undefined {
  const { items } = (known?.input ?? {}) as { items?: unknown };
  return Array.isArray(items) ? items : undefined;
}

function isDone({ status }: JournalRow): boolean {
  return status === 'succeeded' || status === 'skipped' || status === 'failed';
}

/**
 * Returns the result of a finished step. Throws a StepFailure for a failed step, unless its definition says to
 * continue. A step that will be retried is `pending` rather than failed.
 */
function outcomeOf({ status, output, error, path }: JournalRow): unknown {
  if (status === 'succeeded') return output;
  if (status === 'failed' && error && !error.passed_over) throw new StepFailure({ step: path, ...error });
  return null;
}
