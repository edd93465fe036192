import { statement, type UnitDb } from '@relata/db';
import { type Actor, type OperationContext, readInput } from '@relata/events';
import { nameText, type Pipeline } from '@relata/schemas';
import { z } from 'zod';
import { pipelines } from './pipeline.table.ts';
import { insertRecords, newRow } from '../record.sql.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';

/** Makes concurrent changes of the default wait for each other; rows that refer to the organization need not wait. */
const lockOrganization = statement<{ id: string }>(
  'pipelines.lock_organization',
  'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

const findDefault = statement<{ id: string }>(
  'pipelines.find_default',
  'SELECT id FROM pipelines WHERE org_id = $1 AND is_default',
);

const NewPipeline = z.strictObject({
  name: nameText(),
  is_default: z.boolean().default(false),
  active: z.boolean().default(true),
});

/** Creates a pipeline; if it is the default, the previous default is no longer one. */
export async function createPipeline(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewPipeline>,
): Promise<Pipeline> {
  const given = readInput(NewPipeline, input);
  return database.transaction(async (db) => {
    if (given.is_default) {
      await db.query(lockOrganization, [actor.orgId]);
      await endDefault(db, actor);
    }
    const [created] = await insertRecords(db, pipelines, [newRow(actor, pipelines, given)]);
    return created!;
  });
}

async function endDefault(db: UnitDb, actor: Actor): Promise<void> {
  const patch = { is_default: false };
  for (const { id } of await db.query(findDefault, [actor.orgId]))
    await changeRow(db, pipelines, newChange(actor, { id, patch }, pipelines.writable));
}
