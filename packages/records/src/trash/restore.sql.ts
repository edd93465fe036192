import { type Db, findWith, listWith, newId, type Statement, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { insertLinks } from '../table/link-table.ts';
import { isList, type Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordGroup, type RecordTable, toRecord } from '../table/record-table.ts';
import { storedRecord, storedReference } from './stored-record.sql.ts';
import { type StoredEntry, tableOf } from './trash-entry.ts';

/** An entry of the trash that is to be restored. */
export interface LockedEntry extends StoredEntry {
  /** Version of the record when it was deleted, as `If-Match` names it. */
  version: string;
  /** Fields of the winner that the record filled when it was merged. */
  filled: string[] | null;
  merge_event_id: string | null;
}

/** Locks an entry of the trash. */
export const lockEntry = findWith<LockedEntry, [orgId: string, id: string]>(
  'trash.lock',
  `SELECT id, resource, deletion_id, deleted_at, merged_into, record, filled, merge_event_id,
     (extract(epoch FROM (record ->> 'updated_at')::timestamptz) * 1000)::bigint::text AS version
   FROM trash WHERE org_id = $1 AND id = $2 AND record IS NOT NULL FOR UPDATE`,
);

const lockCausedBy = listWith<{ id: string; resource: string }, [orgId: string, deletionId: string, id: string]>(
  'trash.lock_caused',
  `SELECT id, resource FROM trash WHERE org_id = $1 AND deletion_id = $2 AND cause_id = $3 AND record IS NOT NULL
   ORDER BY id FOR UPDATE`,
);

/** Locks the entries of records that the delete of another record included. */
export async function lockCaused(db: Db, orgId: string, deletionId: string, id: string): Promise<RecordGroup[]> {
  const byKind = Map.groupBy(await lockCausedBy(db, orgId, deletionId, id), ({ resource }) => resource);
  return [...byKind].map(([kind, entries]) => ({ table: tableOf(kind), ids: entries.map((entry) => entry.id) }));
}

/** Values of the fields that refer to other records. */
export type References = { id: string } & Record<string, string | string[] | null>;

const referencesIn = memoizePerTable(({ name, references }) => {
  const fields = Object.keys(references).map((field) => `${storedReference('t', field)} AS ${field}`);
  return statement<References>(
    `${name}.trashed_references`,
    `SELECT ${['t.id', ...fields].join(', ')} FROM trash t
     WHERE t.org_id = $1 AND t.id = ANY ($2::uuid[]) ORDER BY t.id`,
  );
});

export function readReferences(db: Db, orgId: string, table: RecordTable<unknown>, ids: readonly string[]) {
  return db.query(referencesIn(table) as Statement<References>, [orgId, ids]);
}

const targets = new Map<string, Statement<{ id: string }>>();

/** Locks the records that exist, so that they cannot be deleted, and returns their ids. */
export async function lockTargets(db: Db, orgId: string, target: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const locking = targets.getOrInsertComputed(target, () =>
    statement(
      `${target}.lock_targets`,
      `SELECT id FROM ${target} WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE`,
    ),
  );
  return (await db.query(locking, [orgId, ids])).map(({ id }) => id);
}

/** Returns the fields that refer to each table, in the order in which records of these tables are locked. */
export const fieldsByTarget = ({ references }: RecordTable<unknown>) =>
  [...Map.groupBy(Object.keys(references), (field) => references[field]!)].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Locks the records that rows of a table refer to, so that they cannot be deleted. */
export async function lockReferences(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  rows: readonly Row[],
): Promise<void> {
  for (const [target, fields] of fieldsByTarget(table)) {
    const ids = rows.flatMap((row) => fields.flatMap((field) => (row[field] ?? []) as string | string[]));
    await lockTargets(db, orgId, target, ids);
  }
}

/** Returns the ids of the records that are in the trash. */
export const findTrashed = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'trash.find_trashed',
  'SELECT id FROM trash WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND record IS NOT NULL ORDER BY id',
);

const restoring = memoizePerTable((table) => statement<Row>(`${table.name}.restore`, restoreSql(table)));

/** A record to be restored; `overrides` replace some of its stored values. */
export interface Restoring {
  id: string;
  overrides: Row;
}

/**
 * Moves records back from the trash, and writes an event for each. The records that they refer to must exist and be
 * locked.
 */
export async function moveBack(
  db: Db,
  actor: Actor,
  table: RecordTable<unknown>,
  given: readonly Restoring[],
): Promise<unknown[]> {
  const origin = toEventOrigin(actor);
  const rows = await db.query(restoring(table) as Statement<Row>, [
    actor.orgId,
    given.map(({ id }) => id),
    given.map(({ overrides }) => JSON.stringify(overrides)),
    given.map(() => newId()),
    origin.actor,
    origin.requestId,
    origin.depth,
  ]);
  return rows.map((row) => toRecord(table, row));
}

function restoreSql({ name, eventName, shown, derived, linkTables }: RecordTable<unknown>): string {
  const stored = shown.filter((column) => !derived[column.name] && column.name !== 'updated_at');
  const valueOf = ({ name, type }: (typeof shown)[number]) => (isList(type) ? `coalesce(${name}, '{}')` : name);
  const links = Object.entries(linkTables).map(
    ([field, linkTable]) => `links_${field} AS (${insertLinks(linkTable, 'restored', field)}),`,
  );
  const columns = shown
    .map((column) => (column.name === 'updated_at' ? 'r.restored_at AS updated_at' : `r.${column.name}`))
    .join(', ');
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($2::uuid[], $3::json[], $4::uuid[]) AS given (id, overrides, event_id)
    ), restored AS MATERIALIZED (
      SELECT t.org_id, t.deletion_id, given.event_id, r.*,
        greatest(now()::timestamptz(3), r.updated_at + interval '1 millisecond') AS restored_at
      FROM given JOIN trash t ON t.org_id = $1::uuid AND t.id = given.id
        CROSS JOIN LATERAL jsonb_to_record(${storedRecord('t')} || given.overrides::jsonb)
          AS r (${shown.map((column) => `${column.name} ${column.type}`).join(', ')})
    ), inserted AS (
      INSERT INTO ${name} AS r (org_id, ${stored.map((column) => column.name).join(', ')}, updated_at)
      SELECT org_id, ${stored.map(valueOf).join(', ')}, restored_at FROM restored
    ), ${links.join(' ')} removed AS (
      DELETE FROM trash t USING given WHERE t.org_id = $1::uuid AND t.id = given.id
    ), events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, record, details)
      SELECT r.org_id, r.event_id, next_event(r.org_id), '${eventName}.restored', r.id, $5::json, $6::text, $7::smallint,
        row_to_json((SELECT shown FROM (SELECT ${columns}) shown)), json_build_object('deletion_id', r.deletion_id)
      FROM restored r ORDER BY r.id
    )
    SELECT ${columns} FROM restored r`;
}
