import { type Database, Executor, type Unit } from '@relata/db';
import { type Actor, readInput } from '@relata/events';
import { nameText, type Pipeline, uuid } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { z } from 'zod';
import { findRecord } from '../record.sql.ts';
import { changeSelected, findOpportunities } from '../settings/move-opportunities.sql.ts';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import { lockStageUses } from '../stages/stage-lock.sql.ts';
import { findStagesOf } from '../stages/stages-of-pipeline.sql.ts';
import { linkedMax } from '../trash/linked-limit.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';
import type { RuleContext } from '../table/record-table.ts';
import { patchUnit } from '../writes/record-units.ts';
import { pipelines } from './pipeline.table.ts';

const Rename = z.strictObject({ id: uuid(), name: nameText() });
type Rename = z.output<typeof Rename>;

/** Maximum number of opportunities that a transaction changes. */
const chunkMax = 1_000;

/**
 * Renames a pipeline with any number of opportunities. Up to `linkedMax` opportunities change together with the
 * pipeline, in one transaction. If there are more, they change in chunks: first those without a stage, then the
 * pipeline, then those at its stages, which keep the old name until then. If a rename is interrupted, another call
 * continues it. Throws `not_found`, and `conflict` if somebody else renames the pipeline meanwhile.
 */
export async function renamePipeline(
  { database }: { database: Database },
  actor: Actor,
  input: z.input<typeof Rename>,
): Promise<Pipeline> {
  const given = readInput(Rename, input);
  const executor = new Executor(database);
  const runAlone = <Result>(unit: Unit<Result>) => executor.runAlone(unit, { isBulk: true });
  const inChunk = (work: (on: RuleContext) => Promise<boolean>) => {
    const { orgId } = actor;
    return runAlone({ orgId, run: (db) => work({ db, actor, orgId, table: pipelines }) });
  };
  try {
    await runAlone(patchUnit(actor, pipelines, { id: given.id, patch: { name: given.name } }));
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'too_many_linked')) throw error;
    while (!(await inChunk((on) => renameFree(on, given))));
  }
  while (!(await inChunk((on) => renameAtStages(on, given))));
  return (await findRecord(database, actor.orgId, pipelines, given.id))!;
}

/**
 * Sets the new name in at most `chunkMax` opportunities without a stage. After the last of them, renames the pipeline
 * and returns true.
 */
async function renameFree(on: RuleContext, { id, name }: Rename): Promise<boolean> {
  const pipeline = await lockPipeline(on, id);
  if (pipeline.name === name) return true;
  const selection = { stageIds: [], freePipeline: pipeline.name };
  const found = await findOpportunities(on, selection, { limit: chunkMax });
  await changeSelected(on, selection, found, { pipeline: name });
  if (found.length === chunkMax) return false;
  await lockStageUses(on.db, on.orgId);
  await changeRow(on.db, pipelines, newChange(on.actor, { id, patch: { name } }, pipelines.writable));
  return true;
}

/**
 * Sets the new name in at most `chunkMax` opportunities at stages of the pipeline. Returns true after the last of them.
 */
async function renameAtStages(on: RuleContext, { id, name }: Rename): Promise<boolean> {
  const pipeline = await lockPipeline(on, id);
  if (pipeline.name !== name) throw new AppError('conflict', `The pipeline was renamed to ${pipeline.name} meanwhile.`);
  const stageIds = (await findStagesOf(on.db, on.orgId, id, linkedMax)).map((stage) => stage.id);
  const selection = { stageIds, except: name };
  const found = await findOpportunities(on, selection, { limit: chunkMax });
  await changeSelected(on, selection, found, { pipeline: name });
  return found.length < chunkMax;
}

async function lockPipeline({ db, orgId }: RuleContext, id: string): Promise<Pipeline> {
  await lockSettings(db, orgId);
  const found = await findRecord(db, orgId, pipelines, id);
  if (!found) throw new AppError('not_found', `The organization has no pipeline ${id}.`);
  return found;
}
