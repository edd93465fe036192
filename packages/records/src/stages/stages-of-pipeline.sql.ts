import { listWith } from '@relata/db';

/** Returns the stages of a pipeline in the order of their ids, at most `limit`. */
export const findStagesOf = listWith<{ id: string }, [orgId: string, pipelineId: string, limit: number]>(
  'stages.of_pipeline',
  'SELECT id FROM stages WHERE org_id = $1 AND pipeline_id = $2 ORDER BY id LIMIT $3',
);

/** Locks stages so that they can be deleted, also against writers of the previous release. */
export const lockStages = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'stages.lock',
  'SELECT id FROM stages WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
);
