import { type Database, type Db, statement } from '@relata/db';
import { invalidReferences, type Opportunity, validationError } from '@relata/schemas';
import { opportunities } from './opportunity.table.ts';
import { updateRecord } from './record.sql.ts';
import type { RecordInserts } from './record-inserts.ts';
import type { Row } from './record-table.ts';
import { explainForeignKey, missingReferences } from './reference.sql.ts';

interface StageAndPipeline {
  stage_id: string | null;
  pipeline: string | null;
}

/** Creates an opportunity; at a stage it carries the name of the stage's pipeline. */
export async function createOpportunity(
  db: Db,
  inserts: RecordInserts,
  orgId: string,
  given: Row,
): Promise<Opportunity> {
  const agreed = await agree(db, orgId, given, { stage_id: null, pipeline: null });
  return inserts.create(orgId, opportunities, { ...given, ...agreed });
}

const lock = statement<StageAndPipeline>(
  'opportunities.lock',
  'SELECT stage_id, pipeline FROM opportunities WHERE org_id = $1 AND id = $2 FOR UPDATE',
);

/** Changes an opportunity; stage and pipeline agree afterwards, whichever of them the patch names. */
export async function updateOpportunity(database: Database, orgId: string, id: string, patch: Row) {
  try {
    const touchesStage = patch['stage_id'] !== undefined || patch['pipeline'] !== undefined;
    const updated = touchesStage
      ? await database.transaction((db) => updateAgreed(db, orgId, id, patch))
      : await updateRecord(database, orgId, opportunities, id, patch);
    if (!updated) await refuseMissing(database, orgId, patch);
    return updated;
  } catch (error) {
    throw await explainForeignKey(database, orgId, opportunities, patch, error);
  }
}

async function updateAgreed(db: Db, orgId: string, id: string, patch: Row): Promise<Opportunity | undefined> {
  const [current] = await db.query(lock, [orgId, id]);
  if (!current) {
    await agree(db, orgId, patch, { stage_id: null, pipeline: null });
    return undefined;
  }
  return updateRecord(db, orgId, opportunities, id, { ...patch, ...(await agree(db, orgId, patch, current)) });
}

/** A body that names nothing is wrong even where the record itself is missing: 400 comes before 404. */
async function refuseMissing(db: Db, orgId: string, given: Row): Promise<void> {
  const missing = await missingReferences(db, orgId, opportunities, given);
  if (missing.length > 0) throw invalidReferences(missing);
}

const pipelineOfStage = statement<{ name: string }>(
  'stages.pipeline_name',
  `SELECT p.name FROM stages s JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE s.org_id = $1 AND s.id = $2`,
);

/** The pipeline that the stage decides: its own where none is named, an error where another one is. */
async function agree(db: Db, orgId: string, given: Row, current: StageAndPipeline): Promise<{ pipeline?: string }> {
  const stageId = given['stage_id'] === undefined ? current.stage_id : (given['stage_id'] as string | null);
  if (stageId === null) return {};
  const [pipeline] = await db.query(pipelineOfStage, [orgId, stageId]);
  if (!pipeline) await refuseMissing(db, orgId, given);
  if (!pipeline) return {};
  const named = given['pipeline'] ?? null;
  if (named !== null && named !== pipeline.name) throw await disagreement(db, orgId, given, pipeline.name);
  return { pipeline: pipeline.name };
}

/** Told together with whatever else the body names wrongly. */
async function disagreement(db: Db, orgId: string, given: Row, name: string) {
  const message = `The stage belongs to the pipeline ${JSON.stringify(name)}.`;
  const missing = invalidReferences(await missingReferences(db, orgId, opportunities, given)).details ?? [];
  return validationError([...missing, { in: 'body', field: 'pipeline', code: 'invalid_reference', message }]);
}
