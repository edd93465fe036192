import type { Db } from '@relata/db';
import { AppError, validationError } from '@relata/schemas';
import { insertRows, newRow, updateRecord } from './record.sql.ts';
import { keyDetails } from './record-fields.ts';
import { rulesOf } from './record-rules.ts';
import type { RecordTable, Row } from './record-table.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Creates a record for a workflow, within the caller's transaction; `fields` come from `validateCreate`. What it names is
 * looked for by the insert itself: a foreign key that breaks would take the whole transaction with it.
 */
export async function createRecordIn<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, fields: Row): Promise<Rec> {
  const given = await rulesOf(table).create(db, orgId, fields);
  const [created] = await insertRows(db, table, [newRow(orgId, table, given, table.writableByWorkflows)]);
  if (created) return created;
  await refuseMissing(db, orgId, table, given);
  throw referencesChange();
}

/**
 * Lays a merge patch over a record for a workflow, within the caller's transaction; `patch` comes from
 * `validateUpdate`. Throws `not_found` where the organization has none of this id.
 */
export async function updateRecordIn<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  id: string,
  patch: Row,
): Promise<Rec> {
  const details = keyDetails('id', id, 'uuid');
  if (details.length > 0) throw validationError(details);
  return layOver(db, orgId, table, id, await rulesOf(table).update(db, orgId, id, patch));
}

/** Lays a patch that the rules have completed over a record. */
export async function layOver<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, id: string, patch: Row) {
  await refuseMissing(db, orgId, table, patch);
  const updated = await updateRecord(db, orgId, table, id, patch, table.writableByWorkflows);
  if (!updated) throw noSuchRecord();
  return updated;
}

export function noSuchRecord(): AppError {
  return new AppError('not_found', 'There is no such record.');
}
