import type { Db } from '@relata/db';
import { type ClaimedRun, type CompiledWorkflow, compileWorkflow, findDefinition } from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';

/** Bytes that a compiled workflow takes per character of its JSON; measured: 57 to 115. */
const bytesPerCharacter = 100;
/** Maximum size of all cached workflows, in bytes: about 500 of 1,000 characters. A worker has a heap of 256 MB. */
const bytesMax = 48 * 1024 * 1024;

/**
 * Returns a function that compiles the workflow of a run and caches the result. Cached versions stay valid, since a
 * version never changes.
 */
export function workflowCache(db: Db): (run: ClaimedRun) => Promise<CompiledWorkflow> {
  const compiled = new LRUCache<string, CompiledWorkflow, ClaimedRun>({
    maxSize: bytesMax,
    // A workflow that is evicted while it is loaded is still needed.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { org_id: orgId, workflow_id: id, version }, options }) => {
      const definition = await findDefinition(db, orgId, id, version);
      options.size = bytesPerCharacter * JSON.stringify(definition).length;
      return compileWorkflow(definition);
    },
  });
  return async (run) => (await compiled.fetch(`${run.org_id} ${run.workflow_id} ${run.version}`, { context: run }))!;
}
