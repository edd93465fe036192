import { type Db, type OrganizationDb, statement } from '@relata/db';
import { invalidReferences, type Opportunity, validationError } from '@relata/schemas';
import { opportunities } from './opportunity.table.ts';
import { updateRecord } from './record.sql.ts';
import type { RecordInserts } from './record-inserts.ts';
import type { Row } from './record-table.ts';
import { explainForeignKey, missingReferences, refuseMissing } from './reference.sql.ts';

interface StageAndPipeline {
  stage_id: string | null;
  pipeline: string | null;
}

const noStage: StageAndPipeline = { stage_id: null, pipeline: null };

/** Creates an opportunity; at a stage it carries the name of the stage's pipeline. */
export async function createOpportunity(
  db: Db,
  inserts: RecordInserts,
  orgId: string,
  given: Row,
): Promise<Opportunity> {
  return inserts.create(orgId, opportunities, await agreeNew(db, orgId, given));
}

/** Changes an opportunity; stage and pipeline agree afterwards, whichever of them the patch names. */
export async function updateOpportunity(database: OrganizationDb, orgId: string, id: string, patch: Row) {
  try {
    const updated = touchesStage(patch)
      ? await database.transaction((db) => updateAgreed(db, orgId, id, patch))
      : await updateRecord(database, orgId, opportunities, id, patch);
    // A body that names nothing is wrong even where the record itself is missing: 400 comes before 404.
    if (!updated) await refuseMissing(database, orgId, opportunities, patch);
    return updated;
  } catch (error) {
    throw await explainForeignKey(database, orgId, opportunities, patch, error);
  }
}

async function updateAgreed(db: Db, orgId: string, id: string, patch: Row): Promise<Opportunity | undefined> {
  return updateRecord(db, orgId, opportunities, id, await agreePatch(db, orgId, id, patch));
}

/** The fields of a new opportunity, with the pipeline that its stage decides. */
export async function agreeNew(db: Db, orgId: string, given: Row): Promise<Row> {
  return { ...given, ...(await agree(db, orgId, given, noStage)) };
}

const lock = statement<StageAndPipeline>(
  'opportunities.lock',
  'SELECT stage_id, pipeline FROM opportunities WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

/**
 * A patch, with the pipeline that the stage decides. Within a transaction: the opportunity is locked until it ends, so
 * that its stage stays the one that was asked about.
 */
export async function agreePatch(db: Db, orgId: string, id: string, patch: Row): Promise<Row> {
  if (!touchesStage(patch)) return patch;
  const [current = noStage] = await db.query(lock, [orgId, id]);
  return { ...patch, ...(await agree(db, orgId, patch, current)) };
}

function touchesStage(patch: Row): boolean {
  return patch['stage_id'] !== undefined || patch['pipeline'] !== undefined;
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
  if (!pipeline) await refuseMissing(db, orgId, opportunities, given);
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
