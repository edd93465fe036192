import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, noSuchRecord } from '@relata/schemas/errors';
import { missingRecord } from '../trash/missing-record.ts';
import { completeAddition, hasAdditions } from './additions.ts';
import { lockRecord } from './locked-record.sql.ts';
import type { Column, Row } from '../table/record-column.ts';
import { requireUuid } from '../table/record-fields.ts';
import type { RecordTable, RuleContext } from '../table/record-table.ts';
import { type Changed, changeRow, newChange } from './record-change.sql.ts';
import type { Patch } from './patch.ts';
import { hasRuleFor } from './record-rules.ts';
import { explainForeignKey, referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Maximum number of attempts. A refused change is tried once more. Just before the record was locked, another request
 * may have removed a reference from it that the patch contains. Or a referenced record may have been created between
 * the refusal and the check.
 */
const triesMax = 2;

/** A record and the action that was taken; `changed` has the names of the changed fields. */
export type Upserted<Rec> =
  | { action: 'created' | 'unchanged'; record: Rec }
  | { action: 'updated'; record: Rec; changed: string[] };

/**
 * Applies a merge patch to a record; `given` has been checked. A patch that changes no field changes nothing, not even
 * `updated_at`. Throws `not_found` if the organization has no such record, `precondition_failed` if it has another
 * version.
 */
export async function patchRecord<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Patch,
  writable = table.writableByWorkflows,
): Promise<Upserted<Rec>> {
  requireUuid(given.id);
  // A patch that does not depend on the record is applied at once: if it waited here, later units could overtake it.
  if (!dependsOnRecord(table, given)) return applyPatch(db, actor, table, given, writable);
  const { patch, current } = await preparePatch(db, actor, table, given);
  const { approve, follow } = (hasRuleFor(table, patch) && table.rules?.update) || {};
  const on = { db, actor, orgId: actor.orgId, table };
  if (approve) await approve(on, await requireVersion(on, patch, current, given.ifMatch), patch);
  const applied = await applyPatch(db, actor, table, { ...given, patch }, writable);
  if (follow && applied.action === 'updated') await follow(on, current as Row, applied.record as Row);
  return applied;
}

/** Returns the locked record. Throws the errors of a patch that come before conflicts with other records. */
export async function requireVersion(
  { db, orgId, table }: RuleContext,
  patch: Row,
  current: unknown,
  ifMatch: readonly string[] | undefined,
): Promise<Row> {
  await refuseMissing(db, orgId, table, patch);
  if (!current) throw noSuchRecord();
  const version = String(Date.parse((current as { updated_at: string }).updated_at));
  if (ifMatch && !ifMatch.includes(version)) throw otherVersion(current);
  return current as Row;
}

/** Returns true if the patch can be completed only after the record is locked. */
export function dependsOnRecord(table: RecordTable<unknown>, given: Pick<Patch, 'patch' | 'fill' | 'add'>): boolean {
  return hasAdditions(given) || hasRuleFor(table, given.patch);
}

/**
 * Returns the complete patch. If it depends on the record, locks the record until the unit ends, and returns it too.
 */
export async function preparePatch<Rec>(db: UnitDb, actor: Actor, table: RecordTable<Rec>, given: Patch) {
  if (!dependsOnRecord(table, given)) return { patch: given.patch };
  const { orgId } = actor;
  const on = { db, actor, orgId, table };
  await table.rules?.update?.lock?.(on, given.id, { ...given.fill, ...given.patch });
  const current = await lockRecord(db, orgId, table, given.id);
  const record = (current ?? {}) as Row;
  return { patch: await completeAddition(on, record, given), current };
}

/** Applies a complete patch. */
export async function applyPatch<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Patch,
  writable = table.writableByWorkflows,
): Promise<Upserted<Rec>> {
  const { orgId } = actor;
  for (let tries = 1; ; tries++) {
    const changed = await tryChange(db, actor, table, given, writable);
    if (changed?.outcome === 'changed') return { action: 'updated', record: changed.record, changed: changed.fields };
    if (changed?.outcome === 'unchanged') return { action: 'unchanged', record: changed.record };
    // An invalid reference in the body is reported even if the record itself is missing: 400 comes before 404 and 412.
    await refuseMissing(db, orgId, table, given.patch);
    if (!changed) throw await missingRecord(db, orgId, given.id);
    if (changed.outcome === 'failed') throw otherVersion(changed.record);
    if (tries === triesMax) throw referencesChange();
  }
}

async function tryChange<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Patch,
  writable: readonly Column[],
): Promise<Changed<Rec> | undefined> {
  try {
    return await changeRow(db, table, newChange(actor, given, writable));
  } catch (error) {
    throw await explainForeignKey(db, actor.orgId, table, given.patch, error);
  }
}

export function otherVersion(record: unknown): AppError {
  const { updated_at: updatedAt } = record as { updated_at: string };
  return new AppError(
    'precondition_failed',
    'The record has changed since you read it. Fetch it again and retry with its current ETag.',
    { updatedAt },
  );
}
