import type { Db } from '@relata/db';
import { AppError, orNotFound } from '@relata/schemas/errors';
import type { Definition } from '../definitions/definition.ts';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { findDefinition } from '../definitions/workflow.sql.ts';
import { type DeliveryDetail, findDelivery } from '../deliveries/delivery.sql.ts';
import { readPayloadInSlices } from '../deliveries/parse-body.ts';
import { simulateOneAnew } from '../deliveries/replay-one.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { planLatest } from '../runs/latest-version.ts';
import { findRunInputs, type Run } from '../runs/run.sql.ts';
import { type FailingStep, simulateInTime, type RetryOption } from './simulate-steps.ts';
import { loadDoneSteps } from './journal-values.ts';
import { simulatedContext } from './simulated-context.ts';

export interface RetryVerdict {
  /** Retry from the failed step, with the version and inputs of the run. */
  retry: RetryOption;
  /** Retry with the newest version; undefined if the run already has it. */
  latest: RetryOption | undefined;
  /** New run for the same delivery, with the newest version and the current mapping. */
  replay: RetryOption;
}

/**
 * Predicts whether a failed run would succeed if it were retried or replayed. Reads the results of completed steps from
 * the journal and simulates the others without executing them. Finds no failure if these results are too large. Throws
 * `not_found`, and `conflict` for a run that did not fail.
 */
export async function predictRetry(db: Db, orgId: string, id: string, slicer: TimeSlicer): Promise<RetryVerdict> {
  const run = orNotFound(await findRunInputs(db, orgId, id), `There is no run ${id}.`);
  if (run.status !== 'failed')
    throw new AppError('conflict', `The run ${id} is ${run.status}. Only failed runs have a forecast.`);
  const found = await findDelivery(db, orgId, run.delivery_id);
  const delivery = orNotFound(found, `The delivery of the run ${id} was deleted.`);
  const simulate = (definition: Definition, version: number, inputs = run.inputs) =>
    simulateFrom(db, run, delivery, { definition, version, inputs }, slicer);
  return {
    retry: await optionOf(async () => {
      const stored = await findDefinition(db, orgId, run.workflow_id, run.version);
      return { version: run.version, fails: await simulate(readStoredDefinition(run.workflow, stored), run.version) };
    }),
    latest:
      run.version === run.latest_version
        ? undefined
        : await optionOf(async () => {
            const { definition, inputs } = await planLatest(db, run);
            return { version: run.latest_version, fails: await simulate(definition, run.latest_version, inputs) };
          }),
    replay: await simulateOneAnew(db, delivery, run.workflow_id, slicer),
  };
}

/** Simulates a way to continue. An AppError becomes its `refusal`. */
async function optionOf(simulate: () => Promise<Omit<RetryOption, 'refusal'>>): Promise<RetryOption> {
  try {
    return { ...(await simulate()), refusal: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { version: undefined, refusal: error.message, fails: undefined };
  }
}

interface Simulated {
  definition: Definition;
  version: number;
  inputs: Record<string, unknown>;
}

async function simulateFrom(
  db: Db,
  run: Run,
  delivery: DeliveryDetail,
  { definition, version, inputs }: Simulated,
  slicer: TimeSlicer,
): Promise<FailingStep | undefined> {
  const done = await loadDoneSteps(db, run, definition, slicer);
  if (!done) return undefined;
  const context = simulatedContext({
    inputs,
    payload: await readPayloadInSlices(delivery, () => slicer.turn()),
    delivery: { id: delivery.id, received_at: delivery.received_at, headers: delivery.headers, replay: run.replay },
    trigger: { id: run.trigger_id, name: run.trigger },
    workflow: { id: run.workflow_id, name: run.workflow, version },
    run: { id: run.id, created_at: run.created_at },
  });
  return simulateInTime(definition, context, slicer, done);
}
