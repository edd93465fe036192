import type { Db } from '@relata/db';
import { type Actor, type OperationContext, writeAuditEvent } from '@relata/events';
import { AppError, validationError, orNotFound } from '@relata/schemas/errors';
import { type DeliveryDetail, findDelivery } from './delivery.sql.ts';
import { type YieldToLoop, readPayloadInSlices } from './parse-body.ts';
import { detailsOf, excluded, simulateReplay, prepareStored, settled, unassigned } from './replay-one.ts';
import { insertReplay, listDoneSteps, lockDelivery, settleRefused } from './replay.sql.ts';
import type { NamedReplay, RepeatedSteps, Replay } from './replay-result.ts';
import { noDelivery, readRefused, storeRefused } from './store-refused.ts';
import { isRefused, isUnstarted, type SkippedWorkflow } from './delivery-store.sql.ts';
import { outlineSteps, stepPlace } from '../definitions/step-outline.ts';
import { type AssignedWorkflow, listAssignedWorkflows } from '../triggers/trigger-snapshot.sql.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { notifyWorkers } from '../runs/run.operations.ts';
import type { FailingStep } from '../verdicts/simulate-steps.ts';

interface ReplayOptions {
  /** True to start all assigned workflows, even if the delivery lists some as refused. */
  isWhole?: boolean;
}

/**
 * Starts new runs for a stored delivery with the current assignments of its trigger, even if the trigger is disabled.
 * If the delivery lists refused workflows, only these are started, and only once: throws `conflict` if replays have
 * started all of them. Starts each workflow whose inputs the delivery satisfies. Throws `validation_error` if a
 * workflow is refused and none can be started. The id may also be that of a refused post with a complete stored body,
 * which is then stored as a delivery.
 */
export async function replayDelivery(
  { database, bus }: OperationContext,
  actor: Actor,
  id: string,
  options: ReplayOptions = {},
): Promise<Replay> {
  const { orgId } = actor;
  const replayed = await database.transaction(async (db) => {
    const delivery = await lockDelivery(db, orgId, id);
    const started = delivery ? await startAnew(db, delivery, options) : await storeRefused(db, orgId, id);
    if (started instanceof AppError) return started;
    const { trigger, ...replay } = started;
    const row = { id: replay.id, name: trigger, trigger_id: replay.trigger_id, runs: replay.runs };
    await writeAuditEvent(db, actor, 'delivery.replayed', { row });
    return replay;
  });
  if (replayed instanceof AppError) throw replayed;
  await notifyWorkers(bus, orgId, replayed.runs);
  return replayed;
}

export interface ReplayPreview {
  /** Workflows that would be started, in their newest versions. `fails` is the step that would or might fail. */
  starts: { workflow_id: string; version: number; fails: FailingStep | undefined }[];
  skipped: (SkippedWorkflow & { filter: string | null })[];
  /** Messages about inputs that the delivery does not satisfy. The workflows that require them would not be started. */
  problems: string[];
  repeated: RepeatedSteps[];
}

/** Returns the runs that `replayDelivery` would start for a delivery, and whether they would fail. Writes nothing. */
export async function previewReplay(
  db: Db,
  orgId: string,
  id: string,
  { slicer, ...options }: ReplayOptions & { slicer: TimeSlicer },
): Promise<ReplayPreview> {
  const delivery = (await findDelivery(db, orgId, id)) ?? (await readRefused(db, orgId, id));
  const yieldToLoop = () => slicer.turn();
  const { assigned, payload, started, repeated } = await applyAssignments(db, delivery, { ...options, yieldToLoop });
  const filters = new Map(assigned.map(({ workflow_id, filter }) => [workflow_id, filter]));
  const starts: ReplayPreview['starts'] = [];
  for (const run of started.runs) {
    const workflow = assigned.find(({ workflow_id: each }) => each === run.workflowId)!;
    const fails = await simulateReplay({ ...delivery, payload }, workflow, run.inputs, slicer);
    starts.push({ workflow_id: run.workflowId, version: run.version, fails });
  }
  return {
    starts,
    skipped: started.skipped.map((each) => ({ ...each, filter: filters.get(each.workflow_id) ?? null })),
    problems: started.refused.flatMap(({ problems }) => problems.map(({ message }) => message)),
    repeated,
  };
}

/**
 * Starts the workflows whose inputs the delivery satisfies, and updates the refused workflows that the delivery lists.
 * If none can be started, returns the error instead of throwing it, so that the transaction still commits that update.
 */
async function startAnew(db: Db, delivery: DeliveryDetail, options: ReplayOptions): Promise<NamedReplay | AppError> {
  const { id, org_id, trigger_id, trigger } = delivery;
  const { assigned, started, repeated } = await applyAssignments(db, delivery, options);
  const { runs, skipped, refused } = started;
  // Retention may have deleted the delivery since it was read.
  const inserted = orNotFound(runs.length > 0 ? await insertReplay(db, delivery, runs) : [], noDelivery(id));
  const names = new Set(assigned.map((each) => each.workflow_id));
  // A workflow whose filter fails remains refused.
  await settleRefused(db, delivery, [
    ...refused,
    ...runs.map(({ workflowId }) => settled(workflowId)),
    ...skipped.flatMap((each) => (each.reason === 'filtered' ? [excluded(each.workflow_id)] : [])),
    ...(delivery.skipped ?? [])
      .filter((each) => !names.has(each.workflow_id))
      .map((each) => unassigned(each.workflow_id, trigger)),
  ]);
  if (refused.length > 0 && runs.length === 0) return validationError(refused.flatMap(detailsOf));
  return { id, org_id, trigger_id, trigger, runs: inserted, skipped: [...skipped, ...refused], repeated };
}

/**
 * Applies the current assignments of the trigger to a delivery. If the delivery has refused workflows, only their
 * assignments are applied. Throws `conflict` if replays have started all of these workflows.
 */
async function applyAssignments(
  db: Db,
  delivery: DeliveryDetail,
  { isWhole = false, yieldToLoop }: ReplayOptions & { yieldToLoop?: YieldToLoop },
) {
  const { id, org_id, trigger_id } = delivery;
  const payload = await readPayloadInSlices(delivery, yieldToLoop);
  if (payload === undefined)
    throw new AppError('conflict', `The body of the delivery ${id} is neither JSON nor a form.`);
  const notStarted = delivery.skipped ?? [];
  const unstarted = new Set(notStarted.filter(isUnstarted).map((each) => each.workflow_id));
  const isSome = !isWhole && notStarted.some((each) => isRefused(each) || each.reason === 'replayed');
  if (isSome && unstarted.size === 0)
    throw new AppError('conflict', `The refused workflows of the delivery ${id} were already replayed.`);
  const all = await listAssignedWorkflows(db, org_id, trigger_id);
  const assigned = isSome ? all.filter(({ workflow_id: each }) => unstarted.has(each)) : all;
  const started = await prepareStored(delivery, payload, assigned, yieldToLoop);
  const names = new Set(started.runs.map(({ workflowId }) => workflowId));
  return { assigned, payload, started, repeated: await repeatedSteps(db, delivery, assigned, names) };
}

/**
 * Returns the completed steps that would be executed again, without those that the newest versions no longer contain.
 */
async function repeatedSteps(
  db: Db,
  { org_id: orgId, id }: DeliveryDetail,
  assigned: readonly AssignedWorkflow[],
  started: ReadonlySet<string>,
): Promise<RepeatedSteps[]> {
  const outlines = new Map(
    assigned.map((one) => [one.workflow_id, outlineSteps(one.definition).map(({ path }) => path)]),
  );
  const done = await listDoneSteps(db, orgId, id, [...started]);
  const again = done.map(({ paths, ...workflow }) => {
    const places = new Set(paths.map(stepPlace));
    return { ...workflow, steps: outlines.get(workflow.workflow_id)!.filter((path) => places.has(path)) };
  });
  return again.filter(({ steps }) => steps.length > 0);
}
