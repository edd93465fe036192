import { type Database, statement } from '@relata/db';
import { insertRecords, newRow, pipelines } from '@relata/records';
import type { Pipeline } from '@relata/schemas';

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

export interface NewPipeline {
  name: string;
  is_default: boolean;
  active: boolean;
}

/** Creates a pipeline; a new default takes over from the one before. */
export function createPipeline(database: Database, orgId: string, given: NewPipeline): Promise<Pipeline> {
  return database.transaction(async (db) => {
    if (given.is_default) {
      await db.query(lockOrganization, [orgId]);
      await db.query(endDefault, [orgId]);
    }
    const [created] = await insertRecords(db, pipelines, [newRow(orgId, pipelines, { ...given })]);
    return created!;
  });
}
