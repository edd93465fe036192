import type { Db } from '@relata/db';
import type { Definition, StepDefinition } from '../definitions/definition.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { journalCharactersMax, loadJournalValues } from '../runs/journal-load.sql.ts';
import { type JournaledStep, listJournaledSteps } from '../runs/latest-version.sql.ts';
import type { Run } from '../runs/run.sql.ts';
import { redactHeaders } from '../runs/sensitive-headers.ts';
import type { DoneStep } from './simulate-steps.ts';

/** Length, in characters, from which a value is parsed only after yielding to the event loop. */
const largeCharacters = 65_536;

/**
 * Loads the journal of a run for a verdict on a definition, with the values that the remaining steps can see. Returns
 * undefined, without loading values, if these are too large: a worker would not load them either.
 */
export async function loadDoneSteps(
  db: Db,
  run: Run,
  { steps }: Definition,
  slicer: TimeSlicer,
): Promise<ReadonlyMap<string, DoneStep> | undefined> {
  const journal = new Map((await listJournaledSteps(db, run.org_id, run.id)).map((step) => [step.path, step]));
  const loaded = await loadJournalValues(db, run.org_id, run.id, neededPaths(steps, journal), journalCharactersMax);
  const texts = new Map<string, string>();
  for (const { path, text } of loaded) {
    if (text === null) return undefined;
    texts.set(path, text);
  }
  const done = new Map<string, DoneStep>();
  for (const step of journal.values()) {
    const text = texts.get(step.path) ?? 'null';
    if (text.length > largeCharacters) await slicer.turn();
    done.set(step.path, doneStep(step, JSON.parse(text)));
  }
  return done;
}

/**
 * Returns the paths of the steps whose values are needed to simulate a retry: the outputs of completed steps, and the
 * inputs of unfinished loops, which contain the items. A failed loop counts as unfinished, since a retry reopens it.
 * Steps of completed iterations are left out, since they are not simulated.
 */
export function neededPaths(
  steps: readonly StepDefinition[],
  journal: ReadonlyMap<string, Pick<JournaledStep, 'status' | 'is_done'>>,
  prefix = '',
): string[] {
  return steps.flatMap(({ id, steps: inner = [] }) => {
    const path = `${prefix}${id}`;
    const row = journal.get(path);
    if (row?.is_done) return row.status === 'succeeded' ? [path] : [];
    return inner.length > 0 ? [path, ...roundPaths(path, inner, journal)] : [];
  });
}

function roundPaths(path: string, steps: readonly StepDefinition[], journal: Parameters<typeof neededPaths>[1]) {
  const paths: string[] = [];
  for (let index = 0; ; index++) {
    const prefix = `${path}[${index}].`;
    if (!steps.some(({ id }) => journal.has(prefix + id))) return paths;
    const isOver = steps.every(({ id }) => journal.get(prefix + id)?.is_done);
    if (!isOver) paths.push(...neededPaths(steps, journal, prefix));
  }
}

/**
 * Returns a step of the journal for a verdict. Redacts credentials in its output, because a verdict may quote a value.
 */
function doneStep({ use, status, is_done: isDone }: JournaledStep, value: unknown): DoneStep {
  if (status === 'succeeded') return { isDone, output: redactHeaders(use, value) };
  const { items } = (value ?? {}) as { items?: unknown };
  return { isDone, output: null, items: Array.isArray(items) ? (items as unknown[]) : undefined };
}
