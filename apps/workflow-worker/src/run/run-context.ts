import type { Db } from '@relata/db';
import type { EvaluationContext } from '@relata/expressions';
import { type ClaimedRun, type CompiledWorkflow, loadDelivery, parseBodyInSteps } from '@relata/workflows/execution';

export interface RunContext {
  /** Creates the context of a walk, still without the outputs of steps. */
  newContext(): EvaluationContext;
  /** The values of the context, as JSON. */
  texts: readonly string[];
}

export interface Loading {
  /** Returns false if a large body need not be loaded, because there is not enough memory for its values. */
  mayLoadLarge(): boolean;
  /** Called before a large body is loaded. Takes a slot, which the caller releases once the context is loaded. */
  beforeLarge(): Promise<void>;
  /** Reserves memory for the values of these texts; returns false if there is not enough. */
  reserve(texts: readonly string[]): boolean;
  /** Lets other runs have their turns while a large body is parsed. */
  giveWay(): Promise<void>;
}

/** Maximum size of a body that is loaded without a slot, in bytes. */
const bodyBytesMax = 65_536;

/**
 * Loads the values that a run's expressions see. The payload is read only if the workflow uses it. Returns undefined,
 * without parsing the body, if there is not enough memory.
 */
export async function loadRunContext(
  db: Db,
  run: ClaimedRun,
  workflow: CompiledWorkflow,
  { mayLoadLarge, beforeLarge, reserve, giveWay }: Loading,
): Promise<RunContext | undefined> {
  const load = (bytesMax: number) => loadDelivery(db, run.org_id, run.delivery_id, bytesMax);
  let delivery = workflow.usesPayload ? await load(bodyBytesMax) : undefined;
  if (delivery?.body === null) {
    if (!mayLoadLarge()) return undefined;
    await beforeLarge();
    delivery = await load(Number.MAX_SAFE_INTEGER);
  }
  const body = delivery?.body ?? Buffer.alloc(0);
  const texts = [body.toString('utf8'), JSON.stringify(run.inputs)];
  if (!reserve(texts)) return undefined;
  const headers = delivery?.headers ?? {};
  const base = {
    inputs: run.inputs,
    payload: await parseBodyInSteps({ body, headers }, giveWay),
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
  return { newContext: () => ({ ...base, steps: {} }), texts };
}
