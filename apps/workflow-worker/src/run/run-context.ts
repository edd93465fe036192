import type { Db } from '@relata/db';
import type { EvaluationContext } from '@relata/expressions';
import { type ClaimedRun, type CompiledWorkflow, loadDelivery, parseBodyInSteps } from '@relata/workflows/execution';

export interface RunContext {
  /** Creates the context of a walk, still without the outputs of steps. */
  newContext(): EvaluationContext;
  /** The values of the context, as JSON. */
  texts: string[];
}

/** Loads the values that a run's expressions see. The payload is read only if the workflow uses it. */
export async function loadRunContext(db: Db, run: ClaimedRun, workflow: CompiledWorkflow): Promise<RunContext> {
  const delivery = workflow.usesPayload ? await loadDelivery(db, run.org_id, run.delivery_id) : undefined;
  const { body, headers } = delivery ?? { body: Buffer.alloc(0), headers: {} };
  const base = {
    inputs: run.inputs,
    payload: await parseBodyInSteps({ body, headers }),
    delivery: {
      id: run.delivery_id,
      received_at: delivery?.received_at ?? run.created_at,
      headers,
      replay: run.replay,
    },
    trigger: { id: run.trigger_id, name: run.trigger },
    workflow: { id: run.workflow_id, name: workflow.name, version: run.version },
    run: { id: run.id, created_at: run.created_at },
  };
  return { newContext: () => ({ ...base, steps: {} }), texts: [body.toString('utf8'), JSON.stringify(run.inputs)] };
}
