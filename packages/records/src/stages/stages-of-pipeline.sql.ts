import { type Db, statement } from '@relata/db';

const ofPipeline = statement<{ id: string; display_order: number }>(
  'stages.of_pipeline',
  'SELECT id, display_order FROM stages WHERE org_id = $1 AND pipeline_id = $2 ORDER BY id LIMIT $3',
);

/** Returns the stages of a pipeline in the order of their ids, at most `limit`. */
export function findStagesOf(db: Db, orgId: string, pipelineId: string, limit: number) {
  return db.query(ofPipeline, [orgId, pipelineId, limit]);
}

const lock = statement<{ id: string }>(
  'stages.lock',
  'SELECT id FROM stages WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
);

/** Locks stages so that they can be deleted, also against writers of the previous release. */
export async function lockStages(db: Db, orgId: string, ids: readonly string[]): Promise<void> {
  await db.query(lock, [orgId, ids]);
}
