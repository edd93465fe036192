import { type ClaimedRun, type CompiledWorkflow, loadDelivery, type Scope } from '@relata/workflows';
import type { Db } from '@relata/db';

/** What expressions of a run see. The payload is read only for those that look into it. */
export async function loadScope(db: Db, run: ClaimedRun, workflow: CompiledWorkflow): Promise<() => Scope> {
  const delivery = workflow.usesPayload ? await loadDelivery(db, run.org_id, run.delivery_id) : undefined;
  const base = {
    inputs: run.inputs,
    payload: delivery ? readPayload(delivery.body) : {},
    delivery: {
      id: run.delivery_id,
      received_at: delivery?.received_at ?? run.created_at,
      headers: delivery?.headers ?? {},
      replay: run.replay,
    },
    trigger: { id: run.trigger_id, name: run.trigger },
    workflow: { id: run.workflow_id, name: workflow.name, version: run.version },
    run: { id: run.id, created_at: run.created_at },
  };
  return () => ({ ...base, steps: {} });
}

function readPayload(body: Buffer): unknown {
  return body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
}
