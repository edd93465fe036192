import { type Db, isShared, LockedError, statement } from '@relata/db';
import { invalidReferences, validationError } from '@relata/schemas';
import type { Row } from '../table/record-column.ts';
import type { RecordRules, RuleContext } from '../writes/record-rules.ts';
import { missingReferences, refuseMissing } from '../writes/reference.sql.ts';

interface StageAndPipeline {
  stage_id: string | null;
  pipeline: string | null;
}

const noStage: StageAndPipeline = { stage_id: null, pipeline: null };

const lock = statement<StageAndPipeline>(
  'opportunities.lock_state',
  'SELECT stage_id, pipeline FROM opportunities WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

const tryLock = statement<StageAndPipeline>('opportunities.try_lock_state', `${lock.text} SKIP LOCKED`);

const exists = statement<object>('opportunities.exists', 'SELECT FROM opportunities WHERE org_id = $1 AND id = $2');

/** At a stage, an opportunity carries the name of the stage's pipeline, whichever of the two is given. */
export const opportunityRules: RecordRules = {
  create: (on, given) => resolveStageAndPipeline(on, given, noStage),
  update: {
    fields: ['stage_id', 'pipeline'],
    // Locked until the transaction ends, so that its stage stays the one that was asked about.
    complete: async (on, id, patch) => {
      const current = await lockedState(on.db, on.orgId, id);
      return resolveStageAndPipeline(on, patch, current ?? noStage);
    },
  },
};

/** Undefined where there is no such opportunity. */
async function lockedState(db: Db, orgId: string, id: string): Promise<StageAndPipeline | undefined> {
  const neverWaits = isShared(db) && !db.waits;
  const [current] = await db.query(neverWaits ? tryLock : lock, [orgId, id]);
  if (!current && neverWaits && (await db.query(exists, [orgId, id])).length > 0) throw new LockedError();
  return current;
}

const pipelineOfStage = statement<{ name: string }>(
  'stages.pipeline_name',
  `SELECT p.name FROM stages s JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE s.org_id = $1 AND s.id = $2`,
);

/** Adds the pipeline that the stage decides where none is named; throws where another one is. */
async function resolveStageAndPipeline(on: RuleContext, given: Row, current: StageAndPipeline): Promise<Row> {
  const stageId = given['stage_id'] === undefined ? current.stage_id : (given['stage_id'] as string | null);
  if (stageId === null) return given;
  const { db, orgId, table } = on;
  const [pipeline] = await db.query(pipelineOfStage, [orgId, stageId]);
  if (!pipeline) await refuseMissing(db, orgId, table, given);
  if (!pipeline) return given;
  const named = given['pipeline'] ?? null;
  if (named !== null && named !== pipeline.name) throw await disagreement(on, given, pipeline.name);
  return { ...given, pipeline: pipeline.name };
}

/** Reported together with whatever else the body names wrongly. */
async function disagreement({ db, orgId, table }: RuleContext, given: Row, name: string) {
  const message = `The stage belongs to the pipeline ${JSON.stringify(name)}.`;
  const missing = invalidReferences(await missingReferences(db, orgId, table, given)).details ?? [];
  return validationError([...missing, { in: 'body', field: 'pipeline', code: 'invalid_reference', message }]);
}
