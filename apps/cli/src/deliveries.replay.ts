import type { Db } from '@relata/db';
import { listAssignedWorkflows, openAssignment, replayDelivery, startRuns } from '@relata/workflows';
import { ringWorkers } from './announce.ts';
import { CliError } from './cli.error.ts';
import { command } from './command.ts';
import { payloadOf } from './deliveries.view.ts';
import { deliveryArgument, noDelivery, requireDelivery } from './delivery.reference.ts';
import { readStored } from './workflow.reference.ts';

export const replay = command({
  name: 'replay',
  summary: 'Start new runs for a delivery, of what its trigger starts now',
  arguments: { delivery: deliveryArgument },
  examples: ['deliveries replay DELIVERY_ID'],
  run: async (context, { delivery: id }) => {
    const replayed = await context.database.transaction((db) => startAnew(db, id));
    await ringWorkers(
      context,
      replayed.runs.map((run) => ({ org_id: replayed.org_id, id: run })),
    );
    return replayed;
  },
  note: ({ runs }) =>
    runs.length === 0 ? 'Nothing was started: no workflow is assigned, or none wants it.' : undefined,
});

async function startAnew(db: Db, id: string) {
  const delivery = await requireDelivery(db, id);
  const { org_id, trigger_id } = delivery;
  const payload = payloadOf(delivery.body);
  if (payload === undefined) throw new CliError('conflict', `The body of the delivery ${id} is no JSON.`);
  const { runs, skipped, problems } = startRuns(await openAssignments(db, org_id, trigger_id), payload);
  if (problems.length > 0)
    throw new CliError(
      'validation_error',
      `The delivery does not satisfy what it would start: ${problems.join('; ')}.`,
    );
  const started = runs.length > 0 ? await replayDelivery(db, delivery, runs) : [];
  // Retention has dropped it since it was read.
  if (!started) throw noDelivery(id);
  return { id, org_id, trigger_id, runs: started, skipped };
}

async function openAssignments(db: Db, orgId: string, triggerId: string) {
  const assigned = await listAssignedWorkflows(db, orgId, triggerId);
  return assigned.map((workflow) => {
    return openAssignment(workflow, readStored(workflow.workflow_id, workflow.definition).inputs);
  });
}
