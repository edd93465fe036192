import { validationError } from '@relata/schemas/errors';
import { findPipelineOfStage, shareStageLock } from '../stages/stage-lock.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordRules, RuleContext } from '../table/record-table.ts';
import { missingDetails, refuseMissing } from '../writes/reference.sql.ts';

/**
 * Rules of opportunities: an opportunity with a stage has the name of the stage's pipeline in `pipeline`. Before an
 * opportunity gets a stage, its unit takes the lock of `shareStageLock`, which lasts until the unit ends.
 */
export const opportunityRules: RecordRules = {
  lockMany: shareStageLock,
  create: {
    fields: ['stage_id'],
    complete: async (on, given) => {
      await shareStageLock(on.db, on);
      return resolveStageAndPipeline(on, given, {});
    },
  },
  update: {
    fields: ['stage_id', 'pipeline'],
    lock: async ({ db, orgId }, id, { stage_id: stageId }) => {
      if (typeof stageId === 'string') await shareStageLock(db, { orgId, opportunityId: id });
    },
    complete: (on, record, patch) => resolveStageAndPipeline(on, patch, record),
  },
};

/** Adds the name of the stage's pipeline if none is given; throws if another name is given. */
async function resolveStageAndPipeline(on: RuleContext, given: Row, current: Row): Promise<Row> {
  const stageId = (given['stage_id'] === undefined ? current['stage_id'] : given['stage_id']) ?? null;
  if (stageId === null) return given;
  const { db, orgId, table } = on;
  const pipeline = await findPipelineOfStage(db, orgId, stageId as string);
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
  const missing = await missingDetails(db, orgId, table, given);
  return validationError([...missing, { in: 'body', field: 'pipeline', code: 'invalid_reference', message }]);
}
