import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { insertsInto, newRow } from '../record.sql.ts';
import type { Row } from '../table/record-column.ts';
import { completeNew } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Number of attempts: the referenced record may be created between the refusal and the check, so the insert is retried
 * once.
 */
const triesMax = 2;

/**
 * Creates a record; `fields` have been checked. The insert itself checks references, since a broken foreign key would
 * abort the whole transaction. Throws `invalid_reference` for a reference that the organization does not have.
 */
export async function createRecord<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  fields: Row,
  writable = table.writableByWorkflows,
): Promise<Rec> {
  const { orgId } = actor;
  const given = await completeNew({ db, actor, orgId, table }, fields);
  const row = newRow(actor, table, given, writable);
  for (let tries = 0; tries < triesMax; tries++) {
    const created = await db.call(insertsInto(table), row);
    if (created) return created as Rec;
    await refuseMissing(db, orgId, table, given);
  }
  throw referencesChange();
}
