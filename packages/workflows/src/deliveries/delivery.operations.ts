import type { Db } from '@relata/db';
import type { Actor, OperationContext } from '@relata/events';
import { AppError, validationError } from '@relata/schemas';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { type DeliveryDetail, findDelivery } from './delivery.sql.ts';
import { parseBody } from './parse-body.ts';
import { insertReplay, listDoneSteps } from './replay.sql.ts';
import type { SkippedWorkflow } from './delivery-store.sql.ts';
import { outlineOf, placeOf } from '../definitions/step-outline.ts';
import { compileAssignment, type CompiledAssignment, startRuns } from '../triggers/assignment.ts';
import { type AssignedWorkflow, listAssignedWorkflows } from '../triggers/trigger-snapshot.sql.ts';
import { notifyWorkers } from '../runs/run.operations.ts';

/** A workflow and the names of its steps: `each.contact` is the step `contact` of the loop `each`. */
export interface RepeatedSteps {
  workflow_id: string;
  workflow: string;
  steps: string[];
}

/** What a replay started, and which workflows it did not start. */
export interface Replay {
  id: string;
  org_id: string;
  trigger_id: string;
  /** The ids of the new runs. */
  runs: string[];
  skipped: SkippedWorkflow[];
  /** Of workflows that were started: steps that earlier runs of the delivery have done, and that are done again. */
  repeated: RepeatedSteps[];
}

/** Starts new runs for a stored delivery, of what its trigger starts now, whether or not the trigger is active. */
export async function replayDelivery(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  id: string,
): Promise<Replay> {
  const replayed = await database.transaction(async (db) => startAnew(db, await getDelivery(db, orgId, id)));
  await notifyWorkers(bus, orgId, replayed.runs);
  return replayed;
}

async function startAnew(db: Db, delivery: DeliveryDetail): Promise<Replay> {
  const { id, org_id, trigger_id, body, headers } = delivery;
  const payload = payloadOf(body);
  if (payload === undefined) throw new AppError('conflict', `The body of the delivery ${id} is no JSON.`);
  const assigned = await listAssignedWorkflows(db, org_id, trigger_id);
  const assignments = assigned.map(compiledAssignment);
  const { runs, skipped, problems } = startRuns(assignments, { payload, headers });
  if (problems.length > 0)
    throw validationError(problems.map(({ message }) => ({ in: 'body', field: '', code: 'invalid_format', message })));
  const repeated = await repeatedSteps(db, delivery, assigned, new Set(runs.map(({ workflowId }) => workflowId)));
  const started = runs.length > 0 ? await insertReplay(db, delivery, runs) : [];
  // Retention has dropped it since it was read.
  if (!started) throw noDelivery(id);
  return { id, org_id, trigger_id, runs: started, skipped, repeated };
}

/** What a stored body says; undefined for what is no JSON, which the receiver does not let pass. */
export function payloadOf(body: Buffer): unknown {
  try {
    return parseBody(body);
  } catch {
    return undefined;
  }
}

function compiledAssignment(workflow: AssignedWorkflow): CompiledAssignment {
  return compileAssignment(workflow, readStoredDefinition(workflow.workflow_id, workflow.definition).inputs);
}

/** What the newest versions no longer have is not done again. */
async function repeatedSteps(
  db: Db,
  { org_id: orgId, id }: DeliveryDetail,
  assigned: readonly AssignedWorkflow[],
  started: ReadonlySet<string>,
): Promise<RepeatedSteps[]> {
  const outlines = new Map(assigned.map((one) => [one.workflow_id, outlineOf(one.definition).map(({ path }) => path)]));
  const done = await listDoneSteps(db, orgId, id, [...started]);
  const again = done.map(({ paths, ...workflow }) => {
    const places = new Set(paths.map(placeOf));
    return { ...workflow, steps: outlines.get(workflow.workflow_id)!.filter((path) => places.has(path)) };
  });
  return again.filter(({ steps }) => steps.length > 0);
}

async function getDelivery(db: Db, orgId: string, id: string): Promise<DeliveryDetail> {
  const found = await findDelivery(db, orgId, id);
  if (!found) throw noDelivery(id);
  return found;
}

const noDelivery = (id: string) => new AppError('not_found', `There is no delivery ${id}.`);
