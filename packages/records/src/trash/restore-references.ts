import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import type { RecordTable, RuleContext } from '../table/record-table.ts';
import { lockForMany } from '../writes/record-change.sql.ts';
import { completePatch } from '../writes/record-rules.ts';
import { findWinners } from './winner.sql.ts';
import type { Dropped } from './put-back.sql.ts';
import {
  fieldsByTarget,
  findTrashed,
  lockTargets,
  readReferences,
  type References,
  type Restoring,
} from './restore.sql.ts';

type Table = RecordTable<unknown>;

/** Records to be restored, with their existing references, and the dropped references. */
interface Resolved {
  records: Restoring[];
  dropped: Dropped[];
}

/**
 * Locks the records to which deleted records refer. A reference to a merged record is replaced by one to the record it
 * was merged into; a reference to any other missing record is dropped. Throws `conflict` if a record cannot exist
 * without a dropped reference.
 */
export async function resolveReferences(
  db: UnitDb,
  actor: Actor,
  table: Table,
  ids: readonly string[],
): Promise<Resolved> {
  const { orgId } = actor;
  await lockForMany(db, orgId, table);
  const rows = await readReferences(db, orgId, table, ids);
  const known = await lockAll(db, orgId, table, rows);
  const complete = rulesOf({ db, actor, orgId, table });
  const dropped: Dropped[] = [];
  const records: Restoring[] = [];
  for (const row of rows) {
    const overrides: Row = {};
    for (const [field, target] of Object.entries(table.references)) {
      const given = idsOf(row[field]);
      const kept = [...new Set(given.flatMap((id) => known.get(`${target} ${id}`) ?? []))];
      const gone = given.filter((id) => !known.has(`${target} ${id}`));
      if (gone.length > 0 && table.resource.fields[field]?.kind === 'required')
        throw await missing(db, orgId, { table, field, id: gone[0]! });
      dropped.push(...gone.map((value) => ({ id: row.id, field, value })));
      if (given.length > 0) overrides[field] = Array.isArray(row[field]) ? kept : (kept[0] ?? null);
    }
    records.push({ id: row.id, overrides: await complete(overrides) });
  }
  return { records, dropped };
}

/**
 * Locks all records that the rows refer to. Returns current ids by table and referenced id: the id of the record
 * itself, or of its winner.
 */
async function lockAll(
  db: UnitDb,
  orgId: string,
  table: Table,
  rows: readonly References[],
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const [target, fields] of fieldsByTarget(table)) {
    const ids = [...new Set(rows.flatMap((row) => fields.flatMap((field) => idsOf(row[field]))))];
    const existing = new Set(await lockTargets(db, orgId, target, ids));
    const gone = ids.filter((id) => !existing.has(id));
    const winners = gone.length > 0 ? await findWinners(db, orgId, gone) : [];
    const winnerIds = winners.map(({ winner }) => winner);
    const locked = new Set(await lockTargets(db, orgId, target, winnerIds));
    for (const id of existing) known.set(`${target} ${id}`, id);
    for (const { id, winner } of winners) if (locked.has(winner)) known.set(`${target} ${id}`, winner);
  }
  return known;
}

function idsOf(value: string | string[] | null | undefined): string[] {
  return Array.isArray(value) ? value : (value ?? undefined) === undefined ? [] : [value as string];
}

/** Returns a function that completes references by the rules of the table. It completes equal references only once. */
function rulesOf(on: RuleContext): (overrides: Row) => Promise<Row> {
  const ruled = on.table.rules?.update?.fields ?? [];
  const completed = new Map<string, Promise<Row>>();
  return async (overrides) => {
    const given = Object.fromEntries(ruled.flatMap((name) => (overrides[name] ? [[name, overrides[name]]] : [])));
    if (Object.keys(given).length === 0) return overrides;
    const key = JSON.stringify(given);
    return {
      ...overrides,
      ...(await completed.getOrInsertComputed(key, () => completePatch(on, {}, given))),
    };
  };
}

interface MissingReference {
  table: Table;
  field: string;
  id: string;
}

/**
 * Returns the error for a record that cannot exist without a missing record. If the missing record, or the winner into
 * which it was merged, is in the trash, `trashed_id` names the record to restore first.
 */
async function missing(db: UnitDb, orgId: string, { table, field, id }: MissingReference): Promise<AppError> {
  const [merged] = await findWinners(db, orgId, [id]);
  const [trashed] = await findTrashed(db, orgId, [merged?.winner ?? id]);
  const place = merged ? `was merged into ${merged.winner}, which is in the trash` : 'is in the trash';
  const message = trashed
    ? `Its ${field} ${id} ${place}. Restore that record first.`
    : `Its ${field} ${id} no longer exists, so the ${table.resource.name} cannot be restored. It can only be erased.`;
  const details = [{ in: 'path' as const, field, code: 'invalid_reference' as const, message }];
  return new AppError('conflict', message, { details, ...(trashed && { data: { trashed_id: trashed.id } }) });
}
