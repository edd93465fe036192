import type { Unit } from '@relata/db';
import type { Actor } from '@relata/events';
import type { Stage } from '@relata/schemas';
import { noSuchRecord, validationError } from '@relata/schemas/errors';
import { pipelines } from '../pipelines/pipeline.table.ts';
import { findRecord, findRecords } from '../record.sql.ts';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import { changeRows, newChange } from '../writes/record-change.sql.ts';
import { stages } from './stage.table.ts';
import { findStagesOf } from './stages-of-pipeline.sql.ts';

/**
 * Puts the stages of a pipeline in order, and returns them. Throws `not_found`, and `validation_error` if the ids do
 * not list each stage of the pipeline exactly once.
 */
export function orderStagesUnit(actor: Actor, pipelineId: string, stageIds: readonly string[]): Unit<Stage[]> {
  const { orgId } = actor;
  return {
    orgId,
    run: async (db) => {
      await lockSettings(db, orgId);
      if (!(await findRecord(db, orgId, pipelines, pipelineId))) throw noSuchRecord();
      const found = await findStagesOf(db, orgId, pipelineId, stageIds.length + 1);
      requireAll(stageIds, new Set(found.map(({ id }) => id)));
      const changes = stageIds.map((id, i) =>
        newChange(actor, { id, patch: { display_order: i + 1 } }, stages.writable),
      );
      await changeRows(db, stages, changes, { skipsLocked: false });
      const ordered = await findRecords(
        db,
        stages,
        stageIds.map((id) => ({ orgId, id })),
      );
      return ordered as Stage[];
    },
  };
}

function requireAll(given: readonly string[], existing: ReadonlySet<string>): void {
  const isAll = given.length === existing.size && new Set(given).size === given.length;
  if (isAll && given.every((id) => existing.has(id))) return;
  const message = 'Must list every stage of the pipeline, each once.';
  throw validationError([{ in: 'body', field: 'stage_ids', code: 'invalid_reference', message }]);
}
