import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, JournalRow } from '@relata/workflows/execution';
import { StepFailure, type Visit } from './visit.ts';

/** Is given what each visit came to: the step's output, or null where it was skipped or its failure passed over. */
export type Walk = Generator<Visit, unknown, unknown>;

export interface Walked {
  context: EvaluationContext;
  journal: ReadonlyMap<string, JournalRow>;
}

/**
 * Goes through the steps of a run in order and yields what is still to be done; what the journal has done is taken
 * from it. So an interrupted run continues where it stopped, by walking again. Returns the last step's output.
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

/** Its items are those that it was entered with, also if the expression would now give others. */
function* walkLoop(visit: Visit, at: Walked): Walk {
  const { step, path, known } = visit;
  const items = (itemsOf(known) ?? (yield { ...visit, kind: 'enter' })) as unknown[] | null;
  // Skipped, or the error of its items was passed over.
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

/** A failure that nothing passed over ends what it is in this time too; a step that is to be tried again is `pending`. */
function outcomeOf({ status, output, error, path }: JournalRow): unknown {
  if (status === 'succeeded') return output;
  if (status === 'failed' && error && !error.passed_over) throw new StepFailure({ step: path, ...error });
  return null;
}
