import type { Db } from '@relata/db';
import { type ClaimedRun, type CompiledWorkflow, loadWorkflow } from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';

const workflowsMax = 500;

/** Compiled workflows. A version never changes, so cached ones stay valid. */
export class WorkflowCache {
  readonly #compiled: LRUCache<string, CompiledWorkflow, ClaimedRun>;

  constructor(db: Db) {
    this.#compiled = new LRUCache({
      max: workflowsMax,
      fetchMethod: (_key, _stale, { context: run }) => loadWorkflow(db, run),
    });
  }

  /** Throws DefinitionError for a definition that an older release accepted and this one does not. */
  async get(run: ClaimedRun): Promise<CompiledWorkflow> {
    const key = `${run.org_id} ${run.workflow_id} ${run.version}`;
    return (await this.#compiled.fetch(key, { context: run }))!;
  }
}
