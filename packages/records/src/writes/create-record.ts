import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { insertsInto, newRow } from '../record.sql.ts';
import type { Row } from '../table/record-column.ts';
import { completeNew } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

/** The record that is referred to may be created between the refusal and the check; then the insert is retried once. */
const triesMax = 2;

/**
 * Creates a record; `fields` have been checked. The insert itself looks for what they name: a foreign key that breaks
 * would take the whole transaction with it. A reference that the organization does not have is `invalid_reference`.
 */
export async function createRecord<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  fields: Row,
  writable = table.writableByWorkflows,
): Promise<Rec> {
  const { orgId } = actor;
  const given = await completeNew(db, orgId, table, fields);
  const row = newRow(actor, table, given, writable);
  for (let tries = 0; tries < triesMax; tries++) {
    const created = await db.call(insertsInto(table), row);
    if (created) return created as Rec;
    await refuseMissing(db, orgId, table, given);
  }
  throw referencesChange();
}
