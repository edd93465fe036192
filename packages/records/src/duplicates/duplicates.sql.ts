import { type Db, plannedStatement } from '@relata/db';
import { duplicateEntriesMax, duplicateIdsMax, nilId } from '@relata/schemas';
import { invalidCursor, validationError } from '@relata/schemas/errors';
import { type CursorScope, decodeCursor, encodeCursor } from '../lists/list-cursor.ts';
import type { RecordTable } from '../table/record-table.ts';

type Table = RecordTable<unknown>;

export interface DuplicatesQuery {
  /** Name of a comparison of the table. */
  by: string;
  /** Maximum number of groups. */
  limit: number;
  cursor?: string | undefined;
  /** Maximum number of index entries to read; `duplicateEntriesMax` by default. */
  entriesMax?: number;
}

/** Records with the same value. */
export interface DuplicateGroup {
  value: string;
  count: number;
  /** Present if `count` is a lower bound. */
  count_relation?: 'gte';
  /** Ids of some of the records, the oldest first. */
  ids: string[];
}

export interface Duplicates {
  data: DuplicateGroup[];
  /** Absent on the last page. */
  next_cursor?: string;
  /** True if there are, or may be, more groups. */
  has_more: boolean;
}

/**
 * A group of records with the same value. A hash without a group, or whose records were not read, has one row in which
 * `value` is null.
 */
interface GroupRow {
  hash: string;
  /** Position among the hashes of the page; 0 for the first. */
  place: number;
  /** Number of records with this hash among those that were read. */
  n: number;
  /** True if the walk reached its row limit at this hash, so that more records may have it. */
  is_cut: boolean;
  value: string | null;
  count: number;
  ids: string[];
}

/**
 * Finds groups of records with the same value. Throws `invalid_cursor` for a cursor of another organization, table or
 * comparison. Reads at most `entriesMax` index entries, and one more to find out if a group has more records.
 */
export async function findDuplicates(
  db: Db,
  orgId: string,
  table: Table,
  { by, limit, cursor, entriesMax = duplicateEntriesMax }: DuplicatesQuery,
): Promise<Duplicates> {
  const scope: CursorScope = { orgId, list: `${table.name}/duplicates`, sort: by, filters: [] };
  const start = cursor === undefined ? firstPlace : decodePlace(scope, cursor);
  const found = await db.query(plannedStatement<GroupRow>(`${table.name}.duplicates`, duplicatesSql(table, by)), [
    orgId,
    start.key,
    start.id,
    limit,
    entriesMax,
  ]);
  const groups = found.filter(({ value }) => value !== null);
  const next = placeAfter(found, groups, { limit, entriesMax });
  if (next && !isAfter(next, start)) throw new Error(`The search does not advance beyond ${start.key} ${start.id}.`);
  return {
    data: groups.slice(0, limit).map((row) => toGroup(row, entriesMax)),
    ...(next && { next_cursor: encodeCursor(scope, next) }),
    has_more: next !== undefined,
  };
}

/**
 * Start of a page: a hash (`key`) and an id. A group with this hash belongs to the page if its oldest record has a
 * higher id.
 */
interface Place {
  key: string;
  id: string;
}

const [smallestHash, largestHash] = [-(2n ** 63n), 2n ** 63n - 1n];

const placeAt = (hash: bigint | string): Place => ({ key: String(hash), id: nilId });
const firstPlace = placeAt(smallestHash);

function decodePlace(scope: CursorScope, cursor: string): Place {
  const { id, key } = decodeCursor(scope, cursor);
  if (!/^-?\d{1,19}$/.test(key ?? '') || BigInt.asIntN(64, BigInt(key!)) !== BigInt(key!))
    throw validationError([invalidCursor]);
  return { id, key: key! };
}

const isAfter = (place: Place, start: Place) =>
  place.key === start.key ? place.id > start.id : BigInt(place.key) > BigInt(start.key);

function toGroup({ value, count, ids }: GroupRow, entriesMax: number): DuplicateGroup {
  return {
    value: value!,
    count: Math.min(count, entriesMax),
    ...(count > entriesMax && { count_relation: 'gte' }),
    ids,
  };
}

/** Returns the start of the next page; undefined after the last page. */
function placeAfter(
  found: readonly GroupRow[],
  groups: readonly GroupRow[],
  { limit, entriesMax }: { limit: number; entriesMax: number },
): Place | undefined {
  const [last, next] = [groups[limit - 1], groups[limit]];
  // Different values may have the same hash, so a page may end between two groups with the same hash.
  if (next) return next.hash === last!.hash ? { key: last!.hash, id: last!.ids[0]! } : placeAt(next.hash);
  const [first, end] = [found[0]!, found.at(-1)!];
  if (end.is_cut || end.place > limit) return placeAt(end.hash);
  if (first.n < entriesMax - 1) return undefined;
  // The first hash took almost all entries, so none were left for later hashes. Its other records are skipped.
  const hash = BigInt(first.hash);
  return hash === largestHash ? undefined : placeAt(hash + 1n);
}

/**
 * Returns SQL for the groups of a page, from its start on. The SQL first reads the records of the first hash, since the
 * previous page may have ended among them. It then walks through the next hashes without reading texts, until enough
 * hashes occur more than once. If the walk reaches its limit, more records may have the last hash, so the next page
 * begins with this hash. The walk may read half of the remaining entries, because the records of its groups are read
 * again.
 */
function duplicatesSql({ name, comparisons }: Table, by: string): string {
  const { hash, texts, isCompared } = comparisons[by]!;
  const compared = `FROM ${name} r WHERE r.org_id = $1 AND ${isCompared}`;
  const order = `ORDER BY ${hash}, r.id`;
  const ids = 'array_agg(id ORDER BY created_at, id)';
  const names = texts.map((_, i) => `text${i}`);
  const columns = texts.map((text, i) => `${text} COLLATE "C" AS ${names[i]}`).join(', ');
  const sameHash = (as: string) =>
    `SELECT r.id, r.created_at, ${columns} ${compared} AND ${hash} >= ${as} AND ${hash} <= ${as} ${order}
     LIMIT (SELECT $5::integer + 1)`;
  const groupsOf = (records: string) => `
    SELECT ${names.join(` || ', ' || `)} AS value, count(*)::integer AS count, (${ids})[1:${duplicateIdsMax}] AS ids
    FROM ${records} GROUP BY ${names.join(', ')} HAVING count(*) > 1`;
  // The planner must not see the value of LIMIT. If it estimated that fewer entries match, it would read and sort all
  // entries of the organization. With an unknown LIMIT it uses the order of the index.
  return `
    WITH first AS MATERIALIZED (
      ${sameHash('$2::bigint')}
    ), room AS MATERIALIZED (
      SELECT count(*)::integer AS n, greatest($5::integer - count(*), 0) / 2 AS entries FROM first
    ), walked AS MATERIALIZED (
      SELECT hash, n, is_cut, row_number() OVER (ORDER BY hash)::integer AS place FROM (
        SELECT hash, count(*)::integer AS n, sum(count(*)) OVER (ORDER BY hash) >= (SELECT entries FROM room) AS is_cut
        FROM (
          SELECT ${hash} AS hash ${compared} AND ${hash} > $2::bigint ${order} LIMIT (SELECT entries FROM room)
        ) entries GROUP BY hash
      ) counted WHERE n > 1 OR is_cut ORDER BY hash LIMIT $4::bigint + 1
    ), found AS (
      SELECT $2::bigint AS hash, 0 AS place, n, false AS is_cut, g.* FROM room
        LEFT JOIN (${groupsOf('first')} AND (${ids})[1] > $3::uuid) g ON true
      UNION ALL
      SELECT w.hash, w.place, w.n, w.is_cut, g.* FROM walked w
        LEFT JOIN LATERAL (
          ${groupsOf(`(${sameHash('w.hash')}) same WHERE w.place <= $4 AND NOT w.is_cut`)}
        ) g ON true
    )
    SELECT hash::text, place, n, is_cut, value, count, ids FROM found ORDER BY place, ids[1]`;
}
