import type { Db } from '@relata/db';
import { type ClaimedRun, type CompiledWorkflow, compileWorkflow, findDefinition } from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';

const workflowsMax = 500;

/**
 * Returns a function that compiles the workflow of a run and caches the result. Cached versions stay valid, since a
 * version never changes.
 */
export function workflowCache(db: Db): (run: ClaimedRun) => Promise<CompiledWorkflow> {
  const compiled = new LRUCache<string, CompiledWorkflow, ClaimedRun>({
    max: workflowsMax,
    fetchMethod: async (_key, _stale, { context: { org_id: orgId, workflow_id: id, version } }) =>
      compileWorkflow(await findDefinition(db, orgId, id, version)),
  });
  return async (run) => (await compiled.fetch(`${run.org_id} ${run.workflow_id} ${run.version}`, { context: run }))!;
}
