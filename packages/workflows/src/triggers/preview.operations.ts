import type { Db } from '@relata/db';
import { type OperationContext, readInput } from '@relata/events';
import { orNotFound } from '@relata/schemas/errors';
import { QueueFullError, Slots } from '@relata/runtime';
import { z } from 'zod';
import { type CompiledStep, compileDefinition } from '../definitions/compile-workflow.ts';
import type { Definition } from '../definitions/definition.ts';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { findDefinition } from '../definitions/workflow.sql.ts';
import { readPayloadInSlices } from '../deliveries/parse-body.ts';
import { inTime, TimeSlicer, type TimeSlicerOptions } from '../time-slicer.ts';
import { compileAssignment, type CompiledAssignment } from './assignment.ts';
import { getWorkflow, NewAssignment } from './assignment.operations.ts';
import { type AssignmentFault, checkAssignment } from './check-assignment.ts';
import { previewDelivery, type DeliveryPreview, notPreviewed } from './preview-delivery.ts';
import { sampleDeliveries, type SampledDelivery } from './preview.sql.ts';
import { findTrigger } from './trigger.sql.ts';
import { simulatedContext } from '../verdicts/simulated-context.ts';
import { simulateSteps } from '../verdicts/simulate-steps.ts';

const deliveriesMax = 20;
const bytesMax = 4_194_304;
/** Total CPU time, in ms. A single evaluation is stopped after 10 to 30 ms. */
const workMsMax = 250;

/** Concurrent previews: each holds bodies in memory. */
const slots = new Slots(2);
const longestWait = { ms: 5_000, error: () => new QueueFullError('Too many previews are in progress.') };

const NewPreview = NewAssignment.extend({ limit: z.int().min(1).max(deliveriesMax).default(deliveriesMax) });

interface PreviewedDelivery extends DeliveryPreview {
  id: string;
  received_at: string;
  bytes: number;
}

export interface AssignmentPreview {
  workflow: { id: string; name: string; version: number; inputs: Definition['inputs'] };
  /** Faults of the mapping itself. */
  faults: AssignmentFault[];
  deliveries: PreviewedDelivery[];
  /** The limit that kept the other deliveries from being previewed. */
  limitReached: 'bytes' | 'time' | undefined;
}

interface PreviewContext extends Pick<TimeSlicerOptions, 'takeTurn'> {
  database: Pick<OperationContext['database'], 'query'>;
}

/**
 * Applies a mapping and a filter to the newest deliveries of a trigger, like the receiver. Simulates the runs that
 * would start with the newest version of the workflow. Writes nothing. Reads at most 4 MB of bodies and uses at most
 * 250 ms of CPU time.
 */
export async function previewAssignment(
  { database, takeTurn }: PreviewContext,
  orgId: string,
  input: z.input<typeof NewPreview>,
): Promise<AssignmentPreview> {
  const { triggerId, workflowId, inputs: mapping, filter, limit } = readInput(NewPreview, input);
  const { trigger, workflow, definition } = await findTarget(database, orgId, { triggerId, workflowId });
  const { inputs } = definition;
  const faults = checkAssignment(inputs, mapping, filter);
  const isFilterWrong = faults.some((fault) => fault.input === undefined);
  const given = { workflow_id: workflow.id, version: workflow.version, is_limited: false, definition, inputs: mapping };
  const assignment = compileAssignment({ ...given, filter: isFilterWrong ? null : (filter ?? null) }, inputs);
  const target = { assignment, steps: compileDefinition(definition).steps, trigger, workflow };
  using _slot = await slots.hold([orgId], { longestWait });
  const sampled = await sampleDeliveries(database, orgId, triggerId, limit, bytesMax);
  const { deliveries, limitReached } = await previewAll(sampled, target, new TimeSlicer({ workMsMax, takeTurn }));
  const shown = isFilterWrong ? deliveries.map(withoutVerdict) : deliveries;
  return { workflow: { ...workflow, inputs }, faults, deliveries: shown, limitReached };
}

interface Target {
  assignment: CompiledAssignment;
  steps: readonly CompiledStep[];
  trigger: { id: string; name: string };
  workflow: { id: string; name: string; version: number };
}

async function findTarget(db: Db, orgId: string, { triggerId, workflowId }: { triggerId: string; workflowId: string }) {
  const trigger = orNotFound(await findTrigger(db, orgId, triggerId), `There is no trigger ${triggerId}.`);
  const { id, name, version } = await getWorkflow(db, orgId, workflowId);
  const definition = readStoredDefinition(name, await findDefinition(db, orgId, id, version));
  return { trigger: { id: trigger.id, name: trigger.name }, workflow: { id, name, version }, definition };
}

/** Removes the verdict, which is unknown if the filter is invalid. The values of the inputs are still known. */
const withoutVerdict = (delivery: PreviewedDelivery): PreviewedDelivery => ({
  ...delivery,
  verdict: 'not_judged',
  fails: undefined,
});

async function previewAll(sampled: readonly SampledDelivery[], target: Target, slicer: TimeSlicer) {
  const deliveries: PreviewedDelivery[] = [];
  let limitReached: AssignmentPreview['limitReached'];
  for (const { body, headers, ...delivery } of sampled) {
    const isWithinBytes = body !== null && limitReached === undefined;
    const previewed = isWithinBytes ? await previewOne(target, { ...delivery, body, headers }, slicer) : undefined;
    if (!previewed) limitReached ??= body === null ? 'bytes' : 'time';
    deliveries.push({ ...delivery, ...(previewed ?? notPreviewed) });
  }
  return { deliveries, limitReached };
}

/** Previews one delivery; returns undefined if the time is used up. */
function previewOne(
  { assignment, steps, trigger, workflow }: Target,
  { id, received_at, body, headers }: SampledDelivery & { body: Buffer },
  slicer: TimeSlicer,
): Promise<DeliveryPreview | undefined> {
  const pause = () => slicer.pause();
  return inTime(async () => {
    await pause();
    const payload = await readPayloadInSlices({ body, headers }, () => slicer.turn());
    const delivery = { id, received_at, headers, replay: 0 };
    const simulateRun = (inputs: Record<string, unknown>) =>
      simulateSteps(steps, simulatedContext({ inputs, payload, delivery, trigger, workflow }), { pause });
    return previewDelivery(assignment, { payload, headers }, { pause, simulateRun });
  });
}
