import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, validationError } from '@relata/schemas/errors';
import { insertRow, newRow } from '../record.sql.ts';
import { keyDetails } from '../table/record-fields.ts';
import type { Row } from '../table/record-column.ts';
import { changeRow, newChange } from './record-change.sql.ts';
import { completeNew, completePatch } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Creates a record for a workflow, within the caller's transaction; `fields` come from `validateCreate`. What it names is
 * looked for by the insert itself: a foreign key that breaks would take the whole transaction with it.
 */
export async function createRecordIn<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  fields: Row,
  writable = table.writableByWorkflows,
): Promise<Rec> {
  const { orgId } = actor;
  const given = await completeNew(db, orgId, table, fields);
  const created = await insertRow(db, table, newRow(actor, table, given, writable));
  if (created) return created;
  await refuseMissing(db, orgId, table, given);
  throw referencesChange();
}

/**
 * Applies a merge patch to a record for a workflow, within the caller's transaction; `patch` comes from
 * `validateUpdate`. Throws `not_found` where the organization has none of this id.
 */
export async function updateRecordIn<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  id: string,
  patch: Row,
): Promise<Rec> {
  const details = keyDetails('id', id, 'uuid');
  if (details.length > 0) throw validationError(details);
  const { record } = await applyPatch(db, actor, table, id, await completePatch(db, actor.orgId, table, id, patch));
  return record;
}

/** Applies a patch that the rules have completed. A body that names nothing is wrong even where the record is missing. */
export async function applyPatch<Rec>(db: UnitDb, actor: Actor, table: RecordTable<Rec>, id: string, patch: Row) {
  const changed = await changeRow(db, table, newChange(actor, { id, patch }, table.writableByWorkflows));
  if (changed?.outcome === 'changed' || changed?.outcome === 'unchanged') return changed;
  await refuseMissing(db, actor.orgId, table, patch);
  throw changed ? referencesChange() : noSuchRecord();
}

export function noSuchRecord(): AppError {
  return new AppError('not_found', 'There is no such record.');
}
