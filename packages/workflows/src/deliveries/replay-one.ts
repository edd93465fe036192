import { setImmediate } from 'node:timers/promises';
import type { Db } from '@relata/db';
import type { ErrorDetail } from '@relata/schemas/errors';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { inTime, type TimeSlicer } from '../time-slicer.ts';
import { compileAssignment, type CompiledAssignment, type PreparedRuns, prepareRuns } from '../triggers/assignment.ts';
import { type AssignedWorkflow, listAssignedWorkflows } from '../triggers/trigger-snapshot.sql.ts';
import { simulatedContext } from '../verdicts/simulated-context.ts';
import { type FailingStep, simulateInTime, type RetryOption } from '../verdicts/simulate-steps.ts';
import type { NewRun, RefusedWorkflow, SettledWorkflow } from './delivery-store.sql.ts';
import type { DeliveryDetail } from './delivery.sql.ts';
import { type YieldToLoop, parseJsonInSlices, readPayloadInSlices } from './parse-body.ts';
import { insertReplay, settleRefused } from './replay.sql.ts';

/**
 * Applies assignments to a stored delivery like `prepareRuns`. Yields to the event loop before each, because reading a
 * large definition takes 70 ms. Throws the errors of `readStoredDefinition`.
 */
export async function prepareStored(
  { body, headers }: Pick<DeliveryDetail, 'body' | 'headers'>,
  payload: unknown,
  workflows: readonly AssignedWorkflow[],
  yieldToLoop: YieldToLoop = () => setImmediate(),
): Promise<PreparedRuns> {
  const assignments: CompiledAssignment[] = [];
  for (const workflow of workflows) {
    await yieldToLoop();
    const { inputs } = readStoredDefinition(workflow.workflow_id, workflow.definition);
    assignments.push(compileAssignment(workflow, inputs));
  }
  return prepareRuns(assignments, { payload, headers }, body.length, yieldToLoop);
}

/**
 * Starts one workflow for a delivery with its trigger's current assignment. Returns the id of the run, or the reason
 * why there is none. Call it in a transaction.
 */
export async function startOneAnew(
  db: Db,
  delivery: DeliveryDetail,
  workflowId: string,
): Promise<{ id: string } | { refusal: string }> {
  const plan = await planOneAnew(db, delivery, workflowId);
  if ('refusal' in plan) {
    if (plan.found) await settleRefused(db, delivery, [plan.found]);
    return { refusal: plan.refusal };
  }
  const [id] = (await insertReplay(db, delivery, [plan.run])) ?? [];
  await settleRefused(db, delivery, [settled(workflowId)]);
  return id === undefined ? { refusal: 'The delivery was deleted.' } : { id };
}

export const settled = (workflowId: string): SettledWorkflow => ({ workflow_id: workflowId, reason: 'replayed' });

/** Returns a refused workflow that a filter excludes now. */
export const excluded = (workflowId: string): SettledWorkflow => ({
  ...settled(workflowId),
  message: 'The current filter of the workflow excludes the delivery.',
});

/** Returns a refused workflow that is no longer assigned. */
export const unassigned = (workflowId: string, trigger: string): SettledWorkflow => ({
  ...settled(workflowId),
  message: `The trigger ${trigger} no longer starts this workflow.`,
});

/** Returns the problems of a refused workflow as details of an error. */
export function detailsOf({ problems }: RefusedWorkflow): ErrorDetail[] {
  return problems.map(({ code, message }) => ({ in: 'body', field: '', code, message }));
}

interface Unplanned {
  refusal: string;
  /** New entry of the refused workflow in the delivery's list; undefined if the entry stays as it is. */
  found?: SettledWorkflow | RefusedWorkflow;
}

const unplanned = (found: SettledWorkflow): Unplanned => ({ refusal: found.message!, found });

async function planOneAnew(
  db: Db,
  delivery: DeliveryDetail,
  workflowId: string,
  yieldToLoop?: YieldToLoop,
): Promise<{ run: NewRun; workflow: AssignedWorkflow; payload: unknown } | Unplanned> {
  const payload = await readPayloadInSlices(delivery, yieldToLoop);
  if (payload === undefined) return { refusal: 'The body of its delivery is neither JSON nor a form.' };
  const assigned = await listAssignedWorkflows(db, delivery.org_id, delivery.trigger_id);
  const workflow = assigned.find((one) => one.workflow_id === workflowId);
  if (!workflow) return unplanned(unassigned(workflowId, delivery.trigger));
  const { runs, skipped, refused } = await prepareStored(delivery, payload, [workflow], yieldToLoop);
  if (refused[0])
    return { refusal: `${refused[0].problems.map(({ message }) => message).join('; ')}.`, found: refused[0] };
  if (skipped[0]?.reason === 'filtered') return unplanned(excluded(workflowId));
  if (skipped[0]) return { refusal: skipped[0].message ?? 'The current filter of the workflow failed.' };
  return { run: runs[0]!, workflow, payload };
}

/**
 * Simulates the run that a replay would start with these inputs, given as JSON. Returns the step that would or might
 * fail; undefined if there is none or the time is used up.
 */
export function simulateReplay(
  delivery: DeliveryDetail & { payload: unknown },
  workflow: AssignedWorkflow,
  inputs: string,
  slicer: TimeSlicer,
): Promise<FailingStep | undefined> {
  const { id, received_at, headers, replays, trigger, trigger_id, payload } = delivery;
  const definition = readStoredDefinition(workflow.workflow_id, workflow.definition);
  return inTime(async () => {
    const given = await parseJsonInSlices(inputs, async () => slicer.pause());
    const context = simulatedContext({
      inputs: given as Record<string, unknown>,
      payload,
      delivery: { id, received_at, headers, replay: replays + 1 },
      trigger: { id: trigger_id, name: trigger },
      workflow: { id: workflow.workflow_id, name: definition.name, version: workflow.version },
    });
    return simulateInTime(definition, context, slicer);
  });
}

/** Simulates the run that `startOneAnew` would start, and writes nothing. */
export async function simulateOneAnew(
  db: Db,
  delivery: DeliveryDetail,
  workflowId: string,
  slicer: TimeSlicer,
): Promise<RetryOption> {
  const plan = await planOneAnew(db, delivery, workflowId, () => slicer.turn());
  if ('refusal' in plan) return { version: undefined, refusal: plan.refusal, fails: undefined };
  const fails = await simulateReplay({ ...delivery, payload: plan.payload }, plan.workflow, plan.run.inputs, slicer);
  return { version: plan.run.version, refusal: undefined, fails };
}
