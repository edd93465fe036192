import type { Db } from '@relata/db';
import { type ClaimedRun, type CompiledWorkflow, loadWorkflow } from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';

const workflowsMax = 500;

/** Returns a function that compiles the workflow of a run. A version never changes, so cached ones stay valid. */
export function workflowCache(db: Db): (run: ClaimedRun) => Promise<CompiledWorkflow> {
  const compiled = new LRUCache<string, CompiledWorkflow, ClaimedRun>({
    max: workflowsMax,
    fetchMethod: (_key, _stale, { context: run }) => loadWorkflow(db, run),
  });
  return async (run) => (await compiled.fetch(`${run.org_id} ${run.workflow_id} ${run.version}`, { context: run }))!;
}
