import type { Db, OrganizationDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, validationError } from '@relata/schemas';
import { insertRows, newRow, updateRecord } from '../record.sql.ts';
import { keyDetails } from '../table/record-fields.ts';
import type { Row } from '../table/record-column.ts';
import { completeNew, completePatch, hasRuleFor } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { explainForeignKey, referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Creates a record for a workflow, within the caller's transaction; `fields` come from `validateCreate`. What it names is
 * looked for by the insert itself: a foreign key that breaks would take the whole transaction with it.
 */
export async function createRecordIn<Rec>(
  db: Db,
  { orgId }: Actor,
  table: RecordTable<Rec>,
  fields: Row,
): Promise<Rec> {
  const given = await completeNew(db, orgId, table, fields);
  const [created] = await insertRows(db, table, [newRow(orgId, table, given, table.writableByWorkflows)]);
  if (created) return created;
  await refuseMissing(db, orgId, table, given);
  throw referencesChange();
}

/**
 * Applies a merge patch to a record for a workflow, within the caller's transaction; `patch` comes from
 * `validateUpdate`. Throws `not_found` where the organization has none of this id.
 */
export async function updateRecordIn<Rec>(
  db: Db,
  actor: Actor,
  table: RecordTable<Rec>,
  id: string,
  patch: Row,
): Promise<Rec> {
  const details = keyDetails('id', id, 'uuid');
  if (details.length > 0) throw validationError(details);
  return applyPatch(db, actor, table, id, await completePatch(db, actor.orgId, table, id, patch));
}

/** Applies a patch that the rules have completed. */
export async function applyPatch<Rec>(db: Db, { orgId }: Actor, table: RecordTable<Rec>, id: string, patch: Row) {
  await refuseMissing(db, orgId, table, patch);
  const updated = await updateRecord(db, orgId, table, id, patch, table.writableByWorkflows);
  if (!updated) throw noSuchRecord();
  return updated;
}

/**
 * Applies a merge patch for a caller of the API; undefined where the organization has none of this id. A transaction is
 * opened only for a patch that the rules of the table apply to.
 */
export async function patchRecord<Rec>(
  database: OrganizationDb,
  { orgId }: Actor,
  table: RecordTable<Rec>,
  id: string,
  patch: Row,
): Promise<Rec | undefined> {
  const update = async (db: Db) => updateRecord(db, orgId, table, id, await completePatch(db, orgId, table, id, patch));
  try {
    const updated = await (hasRuleFor(table, patch) ? database.transaction(update) : update(database));
    // A body that names nothing is wrong even where the record itself is missing: 400 comes before 404.
    if (!updated) await refuseMissing(database, orgId, table, patch);
    return updated;
  } catch (error) {
    throw await explainForeignKey(database, orgId, table, patch, error);
  }
}

export function noSuchRecord(): AppError {
  return new AppError('not_found', 'There is no such record.');
}
