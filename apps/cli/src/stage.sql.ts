import { type Database, type Db, statement } from '@relata/db';
import { findRecord, insertRecords, newRow, pipelines, stages } from '@relata/records';
import type { Stage } from '@relata/schemas';
import { CliError } from './cli.error.ts';

/** Two new stages at the same time get two places; deals need not wait. */
const lockPipeline = statement<{ id: string }>(
  'pipelines.lock',
  'SELECT id FROM pipelines WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

const placeAfterLast = statement<{ place: number }>(
  'stages.place_after_last',
  `SELECT least(coalesce(max(display_order), 0), 2147483646) + 1 AS place
   FROM stages WHERE org_id = $1 AND pipeline_id = $2`,
);

export interface NewStage extends Pick<Stage, 'pipeline_id' | 'name' | 'is_won' | 'is_lost' | 'is_closed' | 'active'> {
  /** After the last one unless given. */
  display_order: number | undefined;
  entry_criteria: string | undefined;
  exit_criteria: string | undefined;
}

export function createStage(database: Database, orgId: string, given: NewStage): Promise<Stage> {
  return database.transaction(async (db) => {
    const [pipeline] = await db.query(lockPipeline, [orgId, given.pipeline_id]);
    if (!pipeline) throw noPipeline(given.pipeline_id);
    const display_order = given.display_order ?? (await findPlace(db, orgId, given.pipeline_id));
    const [created] = await insertRecords(db, stages, [newRow(orgId, stages, { ...given, display_order })]);
    return created!;
  });
}

async function findPlace(db: Db, orgId: string, pipelineId: string): Promise<number> {
  const [row] = await db.query(placeAfterLast, [orgId, pipelineId]);
  return row!.place;
}

/** Refuses the id of a pipeline that the organization does not have. */
export async function requirePipeline(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await findRecord(db, orgId, pipelines, id))) throw noPipeline(id);
}

function noPipeline(id: string): CliError {
  return new CliError('not_found', `The organization has no pipeline ${id}. See: relata pipelines list`);
}
