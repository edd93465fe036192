import { readWith, type Unit } from '@relata/db';
import type { Actor } from '@relata/events';
import type { Pipeline } from '@relata/schemas';
import { AppError, validationError } from '@relata/schemas/errors';
import { locksFor } from '../links/referring.sql.ts';
import { pipelines } from '../pipelines/pipeline.table.ts';
import { findRecord } from '../record.sql.ts';
import { findPipelineOfStage, lockStageUses } from '../stages/stage-lock.sql.ts';
import { findStagesOf, lockStages } from '../stages/stages-of-pipeline.sql.ts';
import { stages } from '../stages/stage.table.ts';
import { requireUuid } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';
import { linkedCountMax, linkedMax, tooManyLinked } from '../trash/linked-limit.ts';
import { requireVersion } from '../writes/patch-record.ts';
import type { RuleContext } from '../table/record-table.ts';
import { changeOpportunities, findOpportunities } from './move-opportunities.sql.ts';
import { removeRows } from './remove-rows.sql.ts';
import { lockSettings } from './settings-lock.sql.ts';

/** A delete of a pipeline or a stage. */
export interface Removal {
  id: string;
  /** Acceptable versions of the record; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
  /**
   * The stage to which opportunities are moved. If it is undefined, a pipeline or stage with opportunities is not
   * deleted.
   */
  moveTo?: string | undefined;
}

/** A deleted pipeline or stage as it was, and the number of opportunities that were moved. */
export interface Removed<Rec> {
  record: Rec;
  moved: number;
}

/**
 * Deletes a pipeline with its stages, or a stage. Throws `validation_error` for a stage that opportunities cannot be
 * moved to, `not_found`, `precondition_failed`, `conflict` for the default pipeline while there are others, `in_use`
 * and `too_many_linked`.
 */
export function removeUnit<Rec>(actor: Actor, table: RecordTable<Rec>, removal: Removal): Unit<Removed<Rec>> {
  const { orgId } = actor;
  return {
    orgId,
    run: async (db) => {
      const on = { db, actor, orgId, table };
      const record = await lockForRemoval(on, removal.id);
      const stageIds = await stagesToRemove(on, record);
      const pipeline = await requireTarget(on, removal.moveTo, stageIds);
      const { id } = (await requireVersion(on, {}, record, removal.ifMatch)) as { id: string };
      if (table === pipelines) await requireNotDefault(on, record as Pipeline);
      await lockStages(db, orgId, stageIds);
      const moved = await emptyStages(on, stageIds, removal.moveTo, pipeline);
      const removedStages = await removeRows(on, stages, stageIds);
      const [removed] = table === stages ? removedStages : await removeRows(on, table, [id]);
      return { record: removed as Rec, moved };
    },
  };
}

/** Locks the settings and the record; returns undefined if the organization has no such record. */
async function lockForRemoval({ db, orgId, table }: RuleContext, id: string): Promise<{ id: string } | undefined> {
  requireUuid(id);
  await lockSettings(db, orgId);
  await lockStageUses(db, orgId);
  await db.call(locksFor('delete', table), { orgId, ids: [id.toLowerCase()] });
  return (await findRecord(db, orgId, table, id)) as { id: string } | undefined;
}

/** Returns the ids of the stages to delete: the record itself, or the stages of the pipeline. */
async function stagesToRemove({ db, orgId, table }: RuleContext, record: { id: string } | undefined) {
  if (!record) return [];
  if (table === stages) return [record.id];
  const ids = (await findStagesOf(db, orgId, record.id, linkedCountMax + 1)).map(({ id }) => id);
  if (ids.length > linkedMax) throw tooManyLinked(ids.length);
  return ids;
}

/** Returns the name of the pipeline to which opportunities are moved; undefined if they are not moved. */
async function requireTarget(
  { db, orgId }: RuleContext,
  moveTo: string | undefined,
  stageIds: readonly string[],
): Promise<string | undefined> {
  if (moveTo === undefined) return undefined;
  const pipeline = stageIds.includes(moveTo) ? undefined : await findPipelineOfStage(db, orgId, moveTo);
  if (pipeline) return pipeline.name;
  const message = 'Must be a stage of the organization that is not deleted by this request.';
  throw validationError([{ in: 'query', field: 'move_to', code: 'invalid_reference', message }]);
}

const findOthers = readWith<{ has_others: boolean }, [orgId: string, id: string]>(
  'pipelines.has_others',
  'SELECT EXISTS (SELECT FROM pipelines WHERE org_id = $1 AND id <> $2) AS has_others',
);

async function requireNotDefault({ db, orgId }: RuleContext, pipeline: Pipeline): Promise<void> {
  if (!pipeline.is_default || !(await findOthers(db, orgId, pipeline.id)).has_others) return;
  throw new AppError('conflict', 'This is the default pipeline. Make another pipeline the default first.');
}

/**
 * Moves the opportunities away from locked stages, and returns their number. Throws `in_use` if they have no target.
 */
async function emptyStages(
  on: RuleContext,
  stageIds: readonly string[],
  moveTo: string | undefined,
  pipeline: string | undefined,
): Promise<number> {
  if (moveTo !== undefined) return changeOpportunities(on, { stageIds }, { stage_id: moveTo, pipeline });
  const { length } = await findOpportunities(on, { stageIds });
  if (length === 0) return 0;
  const count = Math.min(length, linkedCountMax);
  const place = on.table === stages ? 'this stage' : 'its stages';
  const text =
    count === 1 ? `1 opportunity is at ${place}. Move it` : `${count} opportunities are at ${place}. Move them`;
  const message = `${text} to another stage with move_to.`;
  throw new AppError('in_use', message, { data: { used_by: { opportunities: count } } });
}
