import { type Db, onlyRow, statement } from '@relata/db';
import { type Actor, type OperationContext, readInput } from '@relata/events';
import { freeText, integer, nameText, type Stage, uuid } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { z } from 'zod';
import { insertRecords, newRow } from '../record.sql.ts';
import { stages } from './stage.table.ts';

/** Makes concurrent creations of stages wait for each other, so that each gets its own place; deals need not wait. */
const lockPipeline = statement<{ id: string }>(
  'pipelines.lock',
  'SELECT id FROM pipelines WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

const placeAfterLast = statement<{ place: number }>(
  'stages.place_after_last',
  `SELECT least(coalesce(max(display_order), 0), 2147483646) + 1 AS place
   FROM stages WHERE org_id = $1 AND pipeline_id = $2`,
);

const NewStage = z
  .strictObject({
    pipeline_id: uuid(),
    name: nameText(),
    /** Defaults to the place after the last stage. */
    display_order: integer().min(0).optional(),
    /** Defaults to `open`. Won and lost deals are closed. */
    outcome: z.enum(['open', 'won', 'lost', 'closed']).default('open'),
    active: z.boolean().default(true),
    entry_criteria: freeText().optional(),
    exit_criteria: freeText().optional(),
  })
  .transform(({ outcome, ...given }) => ({
    ...given,
    is_won: outcome === 'won',
    is_lost: outcome === 'lost',
    is_closed: outcome !== 'open',
  }));

/** Adds a stage to a pipeline; throws `not_found` if the organization has no such pipeline. */
export async function createStage(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewStage>,
): Promise<Stage> {
  const given = readInput(NewStage, input);
  return database.transaction(async (db) => {
    const [pipeline] = await db.query(lockPipeline, [actor.orgId, given.pipeline_id]);
    if (!pipeline) throw new AppError('not_found', `The organization has no pipeline ${given.pipeline_id}.`);
    const display_order = given.display_order ?? (await findPlace(db, actor.orgId, given.pipeline_id));
    const [created] = await insertRecords(db, stages, [newRow(actor, stages, { ...given, display_order })]);
    return created!;
  });
}

async function findPlace(db: Db, orgId: string, pipelineId: string): Promise<number> {
  return (await onlyRow(db, placeAfterLast, [orgId, pipelineId])).place;
}
