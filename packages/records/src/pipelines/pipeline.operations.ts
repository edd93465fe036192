import { statement } from '@relata/db';
import { type Actor, type OperationContext, readInput } from '@relata/events';
import { nameText, type Pipeline } from '@relata/schemas';
import { z } from 'zod';
import { pipelines } from './pipeline.table.ts';
import { insertRecords, newRow } from '../record.sql.ts';

/** Two new defaults at the same time come one after the other; rows that refer to the organization need not wait. */
const lockOrganization = statement<{ id: string }>(
  'organizations.lock',
  'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

const endDefault = statement<never>(
  'pipelines.end_default',
  `UPDATE pipelines SET is_default = false, updated_at = greatest(now(), updated_at + interval '1 millisecond')
   WHERE org_id = $1 AND is_default`,
);

const NewPipeline = z.strictObject({
  name: nameText(),
  is_default: z.boolean().default(false),
  active: z.boolean().default(true),
});

/** Creates a pipeline; a new default takes over from the one before. */
export async function createPipeline(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  input: z.input<typeof NewPipeline>,
): Promise<Pipeline> {
  const given = readInput(NewPipeline, input);
  return database.transaction(async (db) => {
    if (given.is_default) {
      await db.query(lockOrganization, [orgId]);
      await db.query(endDefault, [orgId]);
    }
    const [created] = await insertRecords(db, pipelines, [newRow(orgId, pipelines, given)]);
    return created!;
  });
}
