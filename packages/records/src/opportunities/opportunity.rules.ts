import { statement } from '@relata/db';
import { invalidReferences, validationError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import type { RecordRules, RuleContext } from '../writes/record-rules.ts';
import { missingReferences, refuseMissing } from '../writes/reference.sql.ts';

/**
 * Rules of opportunities: if one has a stage, its pipeline is the name of the stage's pipeline, whichever of the two is
 * given.
 */
export const opportunityRules: RecordRules = {
  create: (on, given) => resolveStageAndPipeline(on, given, {}),
  update: {
    fields: ['stage_id', 'pipeline'],
    complete: (on, record, patch) => resolveStageAndPipeline(on, patch, record),
  },
};

const pipelineOfStage = statement<{ name: string }>(
  'stages.pipeline_name',
  `SELECT p.name FROM stages s JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE s.org_id = $1 AND s.id = $2`,
);

/** Adds the pipeline of the stage if none is given; throws if another one is. */
async function resolveStageAndPipeline(on: RuleContext, given: Row, current: Row): Promise<Row> {
  const stageId = (given['stage_id'] === undefined ? current['stage_id'] : given['stage_id']) ?? null;
  if (stageId === null) return given;
  const { db, orgId, table } = on;
  const [pipeline] = await db.query(pipelineOfStage, [orgId, stageId]);
  if (!pipeline) await refuseMissing(db, orgId, table, given);
  if (!pipeline) return given;
  const named = given['pipeline'] ?? null;
  if (named !== null && named !== pipeline.name) throw await disagreement(on, given, pipeline.name);
  return { ...given, pipeline: pipeline.name };
}

/**
 * Returns the error for a pipeline that does not fit the stage, together with all other invalid references of the body.
 */
async function disagreement({ db, orgId, table }: RuleContext, given: Row, name: string) {
  const message = `The stage belongs to the pipeline ${JSON.stringify(name)}.`;
  const missing = invalidReferences(await missingReferences(db, orgId, table, given)).details ?? [];
  return validationError([...missing, { in: 'body', field: 'pipeline', code: 'invalid_reference', message }]);
}
