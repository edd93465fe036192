import type { EvaluationContext } from '@relata/expressions';
import { loadDelivery, loadInputs, parseBodyInSlices, parseJsonInSlices } from '@relata/workflows/execution';
import type { Execution } from './execution-context.ts';
import { estimateHeapBytes } from './heap-bytes.ts';

/** The values that a run was started with. */
export interface RunValues {
  /** Creates the context of a walk, without any step outputs yet. */
  newContext(): EvaluationContext;
  /** Memory that the values and the definition of the workflow take. */
  bytes: number;
}

type Loading = Pick<Execution, 'db' | 'run' | 'workflow' | 'memory' | 'largeResponses' | 'turns' | 'signal'>;

/** Maximum size of a body that is loaded without a slot, in bytes. */
const bodyBytesMax = 65_536;

/**
 * Loads the values that a run was started with, and reserves memory for them and the definition. The payload is read
 * only if the workflow uses it. Returns undefined, without parsing anything, if there is not enough memory. Loading a
 * large body or large inputs takes a slot until they are parsed, and other runs get their turns meanwhile.
 */
export async function loadRunValues(execution: Loading): Promise<RunValues | undefined> {
  const { db, run, workflow, memory, largeResponses, turns, signal } = execution;
  using slot = new DisposableStack();
  const load = (bytesMax: number) => loadDelivery(db, run.org_id, run.delivery_id, bytesMax);
  let delivery = workflow.usesPayload ? await load(bodyBytesMax) : undefined;
  if (delivery?.body === null || run.inputs === null) {
    if (!memory.mayLoad()) return undefined;
    slot.use(await largeResponses.hold([run.org_id], { signal }));
  }
  if (delivery?.body === null) delivery = await load(Number.MAX_SAFE_INTEGER);
  const body = delivery?.body ?? Buffer.alloc(0);
  const inputs = run.inputs ? JSON.stringify(run.inputs) : ((await loadInputs(db, run.org_id, run.id)) ?? '{}');
  const bytes = workflow.definitionBytes + estimateHeapBytes(body.toString('utf8')) + estimateHeapBytes(inputs);
  if (!memory.reserve(bytes)) return undefined;
  const headers = delivery?.headers ?? {};
  const yieldToLoop = () => turns.yieldToLoop([run.org_id]);
  const base = {
    inputs: run.inputs ?? ((await parseJsonInSlices(inputs, yieldToLoop)) as Record<string, unknown>),
    payload: await parseBodyInSlices({ body, headers }, yieldToLoop),
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
  return { newContext: () => ({ ...base, steps: {} }), bytes };
}
