import type { Db } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import type { Definition } from '../definitions/definition.ts';
import { readInput } from '../definitions/input-value.ts';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { outlineSteps, type PlacedStep, stepPlace } from '../definitions/step-outline.ts';
import { findDefinition } from '../definitions/workflow.sql.ts';
import { listJournaledSteps, type JournaledStep, moveRun, replaceKinds } from './latest-version.sql.ts';
import { reopenFailed, reopenSteps } from './run-control.sql.ts';
import { findRunInputs, type Run } from './run.sql.ts';

/**
 * Reopens a failed run like `reopenRun`, with the newest version of its workflow. Throws `conflict` unless that version
 * has every completed step with the same id, kind and order, and its inputs accept the values of the run.
 */
export async function reopenWithLatest(db: Db, orgId: string, id: string, evenReplayed: boolean): Promise<boolean> {
  const reopened = await reopenFailed(db, orgId, id, evenReplayed);
  if (!reopened) return false;
  // The run is locked from here on.
  const run = (await findRunInputs(db, orgId, id))!;
  const { definition, inputs, changes } = await planLatest(db, run);
  const isLimited = definition.max_running !== undefined;
  await moveRun(db, orgId, id, { version: run.latest_version, inputs, isLimited });
  await reopenSteps(db, orgId, id, { step: reopened.step, except: changes.left });
  await replaceKinds(db, orgId, id, changes.replaced);
  return true;
}

/** Plans how a run continues with the newest version, and writes nothing. Throws `conflict` if it cannot. */
export async function planLatest(
  db: Db,
  run: Run & { inputs: Record<string, unknown> },
): Promise<{ definition: Definition; inputs: Record<string, unknown>; changes: Changes }> {
  const { org_id: orgId, id, workflow_id: workflowId } = run;
  const latest = await findDefinition(db, orgId, workflowId, run.latest_version);
  const definition = readStoredDefinition(run.workflow, latest);
  const before = outlineSteps(await findDefinition(db, orgId, workflowId, run.version));
  const changes = changesOf(await listJournaledSteps(db, orgId, id), before, outlineSteps(latest));
  if (changes.faults.length > 0) throw refusal(run, changes.faults);
  return { definition, inputs: inputsOf(run, definition), changes };
}

function refusal({ id, latest_version: version, workflow }: Run, faults: readonly string[]): AppError {
  const message = `The run ${id} cannot continue with version ${version} of ${workflow}: ${faults.join('; ')}.`;
  return new AppError('conflict', message);
}

interface Changes {
  /** Reasons why the run cannot continue, each with the name of a step. */
  faults: string[];
  /** Paths of open steps that the newest version lacks; they stay as they are. */
  left: string[];
  /** Open steps that are of another kind in the newest version. */
  replaced: { path: string; use: string }[];
}

function changesOf(
  journal: readonly JournaledStep[],
  before: readonly PlacedStep[],
  after: readonly PlacedStep[],
): Changes {
  const now = new Map(after.map(({ path, use }, order) => [path, { use, order }]));
  const open = journal.filter(({ is_done }) => !is_done);
  return {
    faults: faultsOf(doneSteps(journal, before), now),
    left: open.filter(({ path }) => !now.has(stepPlace(path))).map(({ path }) => path),
    replaced: open.flatMap(({ path, use }) => {
      const use_ = now.get(stepPlace(path))?.use ?? use;
      return use_ === use ? [] : [{ path, use: use_ }];
    }),
  };
}

/** Returns the completed steps, in any iteration of their loop, in the order of the version that the run had. */
function doneSteps(journal: readonly JournaledStep[], before: readonly PlacedStep[]): PlacedStep[] {
  const order = new Map(before.map(({ path }, at) => [path, at]));
  const done = new Map(journal.filter(({ is_done }) => is_done).map(({ path, use }) => [stepPlace(path), use]));
  const steps = [...done].map(([path, use]) => ({ path, use }));
  return steps.toSorted((a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0));
}

function faultsOf(done: readonly PlacedStep[], now: ReadonlyMap<string, { use: string; order: number }>): string[] {
  let last = -1;
  return done.flatMap(({ path, use }) => {
    const found = now.get(path);
    if (!found) return [`the finished step ${path} does not exist in it`];
    if (found.use !== use) return [`the finished step ${path} was ${use} and is now ${found.use}`];
    if (found.order < last) return [`the finished step ${path} has another position`];
    last = found.order;
    return [];
  });
}

/** Returns the inputs of a run as the newest version reads them. Throws `conflict` if that version refuses them. */
function inputsOf(run: Run & { inputs: Record<string, unknown> }, { inputs }: Definition): Record<string, unknown> {
  const read = Object.entries(inputs).map(([input, spec]) => {
    const given = Object.hasOwn(run.inputs, input) ? run.inputs[input] : undefined;
    return [input, readInput(spec, given)] as const;
  });
  const faults = read.flatMap(([input, value]) => ('problem' in value ? [`input "${input}" ${value.problem}`] : []));
  if (faults.length > 0) throw refusal(run, faults);
  const values = read.flatMap(([input, value]) =>
    'value' in value && value.value !== undefined ? [[input, value.value]] : [],
  );
  return { ...run.inputs, ...(Object.fromEntries(values) as Record<string, unknown>) };
}
