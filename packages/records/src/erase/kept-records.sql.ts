import { type Db, listWith, type Statement, statement, type UnitDb } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import type { IncomingLink } from '../links/links.ts';
import { findReferring, locksFor } from '../links/referring.sql.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';

/** Place of a record; `events` if only its events are kept. */
type Place = 'table' | 'trash' | 'events';

/** A kept record: locked in its table or in the trash, or known only from its events. */
export interface KeptRecord {
  id: string;
  place: Place;
  /** Version that the record has, or had when it was deleted; undefined if the version is not known. */
  version?: string | undefined;
  /** The delete that moved the record to the trash. */
  deletionId?: string | undefined;
  /** The record into which this record was merged. */
  mergedInto?: string | undefined;
}

interface Located {
  id: string;
  place: Place;
}

const locating = memoizePerTable(({ name, eventName }) =>
  statement<Located>(
    `${name}.locate_kept`,
    // A snapshot shows a record in only one place, even if it is moved meanwhile. The last event of an erased record is
    // that of the erase.
    `SELECT id, place FROM (
       SELECT given.id, CASE WHEN r.is_kept THEN 'table' WHEN t.is_kept THEN 'trash' WHEN e.is_kept THEN 'events' END AS place
       FROM unnest($2::uuid[]) AS given (id)
         LEFT JOIN LATERAL (
           SELECT true AS is_kept FROM ${name} r WHERE r.org_id = $1 AND r.id = given.id LIMIT 1
         ) r ON true
         LEFT JOIN LATERAL (
           SELECT true AS is_kept FROM trash t WHERE t.org_id = $1 AND t.id = given.id AND t.resource = '${eventName}' LIMIT 1
         ) t ON true
         LEFT JOIN LATERAL (
           SELECT split_part(e.type, '.', 1) = '${eventName}' AND e.type <> '${eventName}.erased' AS is_kept
           FROM events e WHERE e.org_id = $1 AND e.record_id = given.id ORDER BY e.seq DESC LIMIT 1
         ) e ON true
     ) located WHERE place IS NOT NULL ORDER BY id`,
  ),
);

const lockEntries = listWith<
  { id: string; version: string | null; deletion_id: string; merged_into: string | null },
  [orgId: string, resource: string, ids: readonly string[]]
>(
  'trash.lock_for_erase',
  `SELECT id, deletion_id, merged_into, (extract(epoch FROM (record ->> 'updated_at')::timestamptz) * 1000)::bigint::text AS version
   FROM trash WHERE org_id = $1 AND resource = $2 AND id = ANY ($3::uuid[]) ORDER BY id FOR UPDATE`,
);

const readingVersions = memoizePerTable(({ name }) =>
  statement<{ id: string; version: string }>(
    `${name}.versions`,
    `SELECT id, (extract(epoch FROM updated_at) * 1000)::bigint::text AS version
     FROM ${name} WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
  ),
);

/** Maximum number of rounds: other requests may delete and restore a record between two statements. */
const roundsMax = 20;

/**
 * Locks records in their table or in the trash, and returns them. Records known only from events are returned without a
 * lock; unknown and erased records are omitted. Throws `conflict` if other requests keep moving them.
 */
export async function lockKept(
  db: UnitDb,
  orgId: string,
  table: RecordTable<unknown>,
  ids: readonly string[],
): Promise<KeptRecord[]> {
  const kept: KeptRecord[] = [];
  let left = ids;
  for (let round = 0; left.length > 0; round++) {
    if (round === roundsMax)
      throw new AppError('conflict', 'Other requests keep deleting and restoring the record. Retry.');
    const located = await locate(db, orgId, table, left);
    const idsAt = (wanted: Place) => located.flatMap(({ id, place }) => (place === wanted ? [id] : []));
    kept.push(...idsAt('events').map((id): KeptRecord => ({ id, place: 'events' })));
    const moving = [...idsAt('table'), ...idsAt('trash')];
    kept.push(...(await lockRows(db, orgId, table, idsAt('table'))));
    kept.push(...(await lockInTrash(db, orgId, table, idsAt('trash'))));
    const locked = new Set(kept.map(({ id }) => id));
    left = moving.filter((id) => !locked.has(id));
  }
  return kept;
}

const locate = (db: Db, orgId: string, table: RecordTable<unknown>, ids: readonly string[]) =>
  db.query(locating(table) as Statement<Located>, [orgId, ids]);

async function lockRows(db: UnitDb, orgId: string, table: RecordTable<unknown>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const locked = await db.call(locksFor('delete', table), { orgId, ids });
  const versions = await db.query(readingVersions(table), [orgId, locked]);
  return versions.map(({ id, version }): KeptRecord => ({ id, place: 'table', version }));
}

async function lockInTrash(db: Db, orgId: string, { eventName }: RecordTable<unknown>, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const entries = await lockEntries(db, orgId, eventName, ids);
  return entries.map(({ id, version, deletion_id: deletionId, merged_into: mergedInto }): KeptRecord => {
    return { id, place: 'trash', version: version ?? undefined, deletionId, mergedInto: mergedInto ?? undefined };
  });
}

const findMerged = listWith<{ id: string }, [orgId: string, id: string, limit: number]>(
  'trash.merged_into',
  `SELECT id FROM (WITH RECURSIVE merged AS (
     SELECT id, 1 AS depth FROM trash WHERE org_id = $1 AND merged_into = $2
     UNION ALL SELECT t.id, m.depth + 1 FROM merged m JOIN trash t ON t.org_id = $1 AND t.merged_into = m.id
   ) SELECT id, depth FROM merged) each ORDER BY depth DESC, id LIMIT $3`,
);

/**
 * Locks at most `limit` records that were merged into a record, directly or by a chain of merges. Returns their ids,
 * the farthest in the chain first. While the caller holds a lock on the record, no other can be merged into it.
 */
export async function lockMerged(
  db: UnitDb,
  orgId: string,
  table: RecordTable<unknown>,
  id: string,
  limit: number,
): Promise<string[]> {
  const find = async () => (await findMerged(db, orgId, id, limit)).map((each) => each.id);
  let found = await find();
  for (let round = 0; found.length > 0; round++) {
    if (round === roundsMax)
      throw new AppError('conflict', 'Other requests keep restoring records that were merged into this one. Retry.');
    await lockEntries(db, orgId, table.eventName, found);
    // If a record was restored meanwhile, the records that had been merged into it are no longer found either.
    const again = await find();
    const isSame = again.join() === found.join();
    found = again;
    if (isSame) break;
  }
  return found;
}

/**
 * Locks at most `limit` records that refer to some of the ids. The caller has locked the ids, so no further records can
 * refer to them. Searches again until it finds only locked records: a record that no longer refers to the ids must not
 * be erased.
 */
export async function lockReferring(
  db: UnitDb,
  orgId: string,
  referrer: IncomingLink,
  ids: readonly string[],
  limit: number,
): Promise<string[]> {
  const locked = new Set<string>();
  for (;;) {
    const found = await findReferring(db, orgId, referrer, ids, limit);
    const others = found.filter((id) => !locked.has(id));
    if (others.length === 0) return found;
    for (const id of await db.call(locksFor('delete', referrer.table), { orgId, ids: others })) locked.add(id);
  }
}
