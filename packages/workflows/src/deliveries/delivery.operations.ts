import type { Db } from '@relata/db';
import type { Actor, OperationContext } from '@relata/events';
import { AppError, validationError } from '@relata/schemas';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { type DeliveryDetail, findDelivery } from './delivery.sql.ts';
import { parseBody } from './parse-body.ts';
import { insertReplay } from './replay.sql.ts';
import type { SkippedWorkflow } from './delivery-store.sql.ts';
import { compileAssignment, startRuns } from '../triggers/assignment.ts';
import { listAssignedWorkflows } from '../triggers/trigger-snapshot.sql.ts';
import { notifyWorkers } from '../runs/run.operations.ts';

/** What a replay started, and which workflows it did not start. */
export interface Replay {
  id: string;
  org_id: string;
  trigger_id: string;
  /** The ids of the new runs. */
  runs: string[];
  skipped: SkippedWorkflow[];
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
  const assignments = await compiledAssignments(db, org_id, trigger_id);
  const { runs, skipped, problems } = startRuns(assignments, { payload, headers });
  if (problems.length > 0)
    throw validationError(problems.map(({ message }) => ({ in: 'body', field: '', code: 'invalid_format', message })));
  const started = runs.length > 0 ? await insertReplay(db, delivery, runs) : [];
  // Retention has dropped it since it was read.
  if (!started) throw noDelivery(id);
  return { id, org_id, trigger_id, runs: started, skipped };
}

/** What a stored body says; undefined for what is no JSON, which the receiver does not let pass. */
export function payloadOf(body: Buffer): unknown {
  try {
    return parseBody(body);
  } catch {
    return undefined;
  }
}

async function compiledAssignments(db: Db, orgId: string, triggerId: string) {
  const assigned = await listAssignedWorkflows(db, orgId, triggerId);
  return assigned.map((workflow) => {
    return compileAssignment(workflow, readStoredDefinition(workflow.workflow_id, workflow.definition).inputs);
  });
}

async function getDelivery(db: Db, orgId: string, id: string): Promise<DeliveryDetail> {
  const found = await findDelivery(db, orgId, id);
  if (!found) throw noDelivery(id);
  return found;
}

const noDelivery = (id: string) => new AppError('not_found', `There is no delivery ${id}.`);
