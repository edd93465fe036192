import type { Db } from '@relata/db';
import {
  type ClaimedRun,
  type CompiledWorkflow,
  compileWorkflow,
  findDefinition,
  type OwnExpressions,
  type StepDefinition,
} from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';
import { estimateHeapBytes } from './heap-bytes.ts';

/** Bytes that compiled expressions take per character of their JSON; measured: 1 to 115. */
const bytesPerCharacter = 100;
/** Maximum size of all compiled expressions, in bytes: enough for about 500 steps with 1,000 characters each. */
const expressionBytesMax = 48 * 1024 * 1024;
/**
 * Maximum size of all cached definitions, in bytes: enough for three of the largest definitions, or for 5,000 with
 * 1,000 characters each.
 */
const definitionBytesMax = 16 * 1024 * 1024;

/** A workflow, and the memory in bytes that its definition takes. */
export interface LoadedWorkflow extends CompiledWorkflow {
  definitionBytes: number;
}

/**
 * Returns a function that loads and compiles the workflow of a run. Cached versions stay valid, since a version never
 * changes. A run in progress holds only the definition. All runs share the memory for compiled expressions: a step
 * whose expressions were evicted compiles them again when it is executed.
 */
export function workflowCache(db: Db): (run: ClaimedRun) => Promise<LoadedWorkflow> {
  const expressions = new LRUCache<StepDefinition, OwnExpressions>({
    maxSize: expressionBytesMax,
    sizeCalculation: (_, step) => bytesPerCharacter * JSON.stringify([step.when, step.with]).length,
  });
  const loaded = new LRUCache<string, LoadedWorkflow, ClaimedRun>({
    maxSize: definitionBytesMax,
    sizeCalculation: ({ definitionBytes }) => definitionBytes,
    // If a workflow is evicted while it is loaded, the caller still gets it.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { org_id: orgId, workflow_id: id, version } }) => {
      const definition = await findDefinition(db, orgId, id, version);
      const definitionBytes = estimateHeapBytes(JSON.stringify(definition));
      return { ...compileWorkflow(definition, expressions), definitionBytes };
    },
  });
  return async (run) => (await loaded.fetch(`${run.org_id} ${run.workflow_id} ${run.version}`, { context: run }))!;
}
