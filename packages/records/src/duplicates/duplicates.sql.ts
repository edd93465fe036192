import { type Db, plannedStatement } from '@relata/db';
import { duplicateEntriesMax, duplicateIdsMax } from '@relata/schemas';
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
  /** Number of entries of the index that are walked at most; `duplicateEntriesMax` by default. */
  entriesMax?: number;
}

/** Records with the same value. */
export interface DuplicateGroup {
  value: string;
  count: number;
  /** Present if `count` is a lower bound. */
  count_relation?: 'gte';
  /** Ids of some of them, the oldest first. */
  ids: string[];
}

export interface Duplicates {
  data: DuplicateGroup[];
  /** Absent on the last page. */
  next_cursor?: string;
  /** True if there are, or may be, more groups. */
  has_more: boolean;
}

/** A group of one hash; without a value if the records of the hash have different ones, or are not all read. */
interface GroupRow {
  hash: string;
  /** Records of the hash among those that were read. */
  n: number;
  /** Records read up to the last one of the hash. */
  read: number;
  /** Position among the hashes of the page. */
  place: number;
  value: string | null;
  count: number;
  ids: string[];
}

/**
 * Finds groups of records with the same value. Throws `invalid_cursor` for a cursor of another organization, table or
 * comparison. Walks at most `entriesMax` entries of the index, and one that shows if more follow.
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
  if (next && !isAfter(next, start)) throw new Error(`The search for duplicates stays at ${start.key} ${start.id}.`);
  return {
    data: groups.slice(0, limit).map((row) => toGroup(row, entriesMax)),
    ...(next && { next_cursor: encodeCursor(scope, next) }),
    has_more: next !== undefined,
  };
}

/** Start of a page: a hash (`key`), and the id that the oldest records of its groups come after. */
interface Place {
  key: string;
  id: string;
}

/** Precedes all records. */
const noId = '00000000-0000-0000-0000-000000000000';
const [smallestHash, largestHash] = [-(2n ** 63n), 2n ** 63n - 1n];

const placeAt = (hash: bigint | string): Place => ({ key: String(hash), id: noId });
const firstPlace = placeAt(smallestHash);

function decodePlace(scope: CursorScope, cursor: string): Place {
  const { id, key } = decodeCursor(scope, cursor);
  if (!/^-?\d{1,19}$/.test(key ?? '') || BigInt.asIntN(64, BigInt(key!)) !== BigInt(key!))
    throw validationError([invalidCursor]);
  return { id, key: key! };
}

const isAfter = (place: Place, start: Place) =>
  place.key === start.key ? place.id > start.id : BigInt(place.key) > BigInt(start.key);

function toGroup({ value, count, ids, n }: GroupRow, entriesMax: number): DuplicateGroup {
  return { value: value!, count, ...(n > entriesMax && { count_relation: 'gte' }), ids };
}

/** Returns where the next page begins; undefined after the last one. */
function placeAfter(
  found: readonly GroupRow[],
  groups: readonly GroupRow[],
  { limit, entriesMax }: { limit: number; entriesMax: number },
): Place | undefined {
  const [last, next] = [groups[limit - 1], groups[limit]];
  // Different values may have the same hash.
  if (next) return next.hash === last!.hash ? { key: last!.hash, id: last!.ids[0]! } : placeAt(next.hash);
  const end = found.at(-1);
  if (!end || (end.place <= limit && end.read <= entriesMax)) return undefined;
  if (end.place > limit || end.n <= entriesMax) return placeAt(end.hash);
  // The records that were not read are skipped.
  const hash = BigInt(end.hash);
  return hash === largestHash ? undefined : placeAt(hash + 1n);
}

/**
 * SQL for the number of entries to read. The planner must not know that it may exceed the entries which it expects: it
 * would read and sort all of the organization. For an unknown number it uses the order of the index.
 */
const entriesLimit = '(SELECT $5::integer + 1)';

/**
 * Returns SQL for the groups from a place on. It first walks the hashes, without reading the texts, until it has found
 * enough that occur more than once. Where the walk ends, the last hash may have more records than were read: it is left
 * to the next page, unless it is the only one.
 */
function duplicatesSql({ name, comparisons }: Table, by: string): string {
  const { hash, texts, isCompared } = comparisons[by]!;
  const compared = `FROM ${name} r WHERE r.org_id = $1 AND ${isCompared}`;
  const order = `ORDER BY ${hash}, r.id`;
  const ids = 'array_agg(id ORDER BY created_at, id)';
  const names = texts.map((_, i) => `text${i}`);
  const columns = texts.map((text, i) => `${text} COLLATE "C" AS ${names[i]}`).join(', ');
  return `
    WITH hashes AS MATERIALIZED (
      SELECT hash, n, read, row_number() OVER (ORDER BY hash) AS place FROM (
        SELECT hash, count(*)::integer AS n, sum(count(*)::integer) OVER (ORDER BY hash) AS read
        FROM (
          SELECT ${hash} AS hash ${compared} AND ${hash} >= $2::bigint ${order} LIMIT ${entriesLimit}
        ) entries GROUP BY hash
      ) counted WHERE n > 1 OR read > $5::integer ORDER BY hash LIMIT $4::bigint + 1
    )
    SELECT h.hash::text, h.n, h.read, h.place, g.* FROM hashes h LEFT JOIN LATERAL (
      SELECT ${names.join(` || ', ' || `)} AS value, count(*)::integer AS count,
        (${ids})[1:${duplicateIdsMax}] AS ids
      FROM (
        SELECT r.id, r.created_at, ${columns} ${compared} AND ${hash} >= h.hash AND ${hash} <= h.hash
        ${order} LIMIT $5::integer
      ) same
      WHERE h.place <= $4 AND (h.read <= $5::integer OR h.n > $5::integer)
      GROUP BY ${names.join(', ')} HAVING count(*) > 1 AND (h.hash > $2 OR (${ids})[1] > $3::uuid)
    ) g ON true
    ORDER BY h.hash, g.ids[1]`;
}
