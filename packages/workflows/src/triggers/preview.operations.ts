import type { Db } from '@relata/db';
import { type OperationContext, readInput } from '@relata/events';
import { QueueFullError, Slots } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import { z } from 'zod';
import type { Definition } from '../definitions/definition.ts';
import { payloadOf } from '../deliveries/delivery.operations.ts';
import { OutOfTimeError, Pace, type PaceOptions } from '../pace.ts';
import { compileAssignment, type CompiledAssignment } from './assignment.ts';
import { getWorkflow, inputsOf, NewAssignment } from './assignment.operations.ts';
import { type AssignmentFault, listAssignmentFaults } from './check-assignment.ts';
import { judge, type Judgement, notJudged } from './judge.ts';
import { sampleDeliveries, type SampledDelivery } from './preview.sql.ts';
import { findTrigger } from './trigger.sql.ts';

const deliveriesMax = 20;
const bytesMax = 4_194_304;
/** Of the event loop, all together. An evaluation alone is stopped after 10 to 30 ms. */
const workMsMax = 250;

/** At once: each holds its bodies. */
const slots = new Slots(2);
const longestWait = { ms: 5_000, error: () => new QueueFullError('Too many previews are being made.') };

const NewPreview = NewAssignment.extend({ limit: z.int().min(1).max(deliveriesMax).default(deliveriesMax) });

/** A delivery, and what would come of it. */
interface JudgedDelivery extends Judgement {
  id: string;
  received_at: string;
  bytes: number;
}

export interface AssignmentPreview {
  workflow: { id: string; name: string; version: number; inputs: Definition['inputs'] };
  /** What is wrong with the mapping itself. */
  faults: AssignmentFault[];
  deliveries: JudgedDelivery[];
  /** Why not all of them were judged. */
  limitReached: 'bytes' | 'time' | undefined;
}

interface PreviewContext extends Pick<PaceOptions, 'takeTurn'> {
  database: Pick<OperationContext['database'], 'query'>;
}

/**
 * Judges a mapping and a filter on the newest deliveries of a trigger, as the receiver would judge them, with the newest
 * version of the workflow. Writes nothing. Looks at 4 MB of bodies at most, and works for a quarter of a second.
 */
export async function previewAssignment(
  { database, takeTurn }: PreviewContext,
  orgId: string,
  input: z.input<typeof NewPreview>,
): Promise<AssignmentPreview> {
  const { triggerId, workflowId, inputs: mapping, filter, limit } = readInput(NewPreview, input);
  const { id, name, version, inputs } = await findTarget(database, orgId, { triggerId, workflowId });
  const faults = listAssignmentFaults(inputs, mapping, filter);
  const isFilterWrong = faults.some((fault) => fault.input === undefined);
  const given = { workflow_id: id, version, is_limited: false, definition: undefined, inputs: mapping };
  const assignment = compileAssignment({ ...given, filter: isFilterWrong ? null : (filter ?? null) }, inputs);
  const { deliveries, limitReached } = await inSlot(orgId, async () => {
    const sampled = await sampleDeliveries(database, orgId, { triggerId, limit, bytesMax });
    return judgeAll(sampled, assignment, new Pace({ workMsMax, takeTurn }));
  });
  const shown = isFilterWrong ? deliveries.map(withoutVerdict) : deliveries;
  return { workflow: { id, name, version, inputs }, faults, deliveries: shown, limitReached };
}

async function inSlot<Result>(orgId: string, work: () => Promise<Result>): Promise<Result> {
  await slots.acquire([orgId], undefined, longestWait);
  try {
    return await work();
  } finally {
    slots.release([orgId]);
  }
}

async function findTarget(db: Db, orgId: string, { triggerId, workflowId }: { triggerId: string; workflowId: string }) {
  if (!(await findTrigger(db, orgId, triggerId))) throw new AppError('not_found', `There is no trigger ${triggerId}.`);
  const workflow = await getWorkflow(db, orgId, workflowId);
  return { ...workflow, inputs: await inputsOf(db, workflow) };
}

/** Whether it would start is not known without a filter that can be read; what its inputs get is. */
const withoutVerdict = (delivery: JudgedDelivery): JudgedDelivery => ({ ...delivery, verdict: 'not_judged' });

async function judgeAll(sampled: readonly SampledDelivery[], assignment: CompiledAssignment, pace: Pace) {
  const deliveries: JudgedDelivery[] = [];
  let limitReached: AssignmentPreview['limitReached'];
  for (const { id, received_at, bytes, body, headers } of sampled) {
    const isWithinBytes = body !== null && limitReached === undefined;
    const judgement = isWithinBytes ? await judgeOne(assignment, { body, headers }, pace) : undefined;
    if (!judgement) limitReached ??= body === null ? 'bytes' : 'time';
    deliveries.push({ id, received_at, bytes, ...(judgement ?? notJudged) });
  }
  return { deliveries, limitReached };
}

/** Undefined where the time is used up. */
async function judgeOne(
  assignment: CompiledAssignment,
  { body, headers }: { body: Buffer; headers: Record<string, string> },
  pace: Pace,
): Promise<Judgement | undefined> {
  try {
    await pace.pause();
    return await judge(assignment, { payload: payloadOf(body), headers }, () => pace.pause());
  } catch (error) {
    if (error instanceof OutOfTimeError) return undefined;
    throw error;
  }
}
