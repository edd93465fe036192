import { type Db, listWith, statement } from '@relata/db';
import { nilId } from '@relata/schemas';
import { type IncomingLink, memoizePerLink, statementName } from '../links/links.ts';
import { storedReference } from '../trash/stored-record.sql.ts';

/** Finds at most `limit` records of a table that were linked to deleted records until the delete cleared the links. */
export const findCleared = listWith<
  { id: string },
  [orgId: string, ids: readonly string[], table: string, limit: number]
>(
  'trash_links.find_cleared',
  `SELECT DISTINCT record_id AS id FROM trash_links
   WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND resource = $3 AND had_winner IS NULL LIMIT $4`,
);

/** A position in the trash, which is sorted by time and id. */
export interface TrashPlace {
  deletedAt: string;
  id: string;
}

/** Returns true if one position in the trash comes before another. */
export const isBefore = (place: TrashPlace, other: TrashPlace) =>
  place.deletedAt === other.deletedAt ? place.id < other.id : place.deletedAt < other.deletedAt;

const clocksDifferMs = 3_600_000;

/**
 * Returns a position in the trash before all entries that can refer to a record. No such entry is older than the
 * record, whose id contains its time of creation.
 */
export function placeBefore(id: string): TrashPlace {
  const createdAt = id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : 0;
  return { deletedAt: new Date(Math.min(createdAt, Date.now()) - clocksDifferMs).toISOString(), id: nilId };
}

interface Looked {
  id: string;
  deleted_at: string;
  is_linked: boolean;
}

const looking = memoizePerLink((referrer) =>
  statement<Looked>(statementName(referrer, 'trashed_links'), lookSql(referrer)),
);

/**
 * Returns the next `limit` entries of a kind in the trash, the oldest first. `is_linked` is true if an entry refers to
 * one of the ids.
 */
export function lookInTrash(
  db: Db,
  orgId: string,
  referrer: IncomingLink,
  ids: readonly string[],
  { after, limit }: { after: TrashPlace; limit: number },
): Promise<Looked[]> {
  return db.query(looking(referrer), [orgId, ids, after.deletedAt, after.id, limit]);
}

function lookSql({ table, links }: IncomingLink): string {
  const named = links.map(({ name, isList }) =>
    isList
      ? `SELECT jsonb_array_elements_text(CASE jsonb_typeof(${storedReference('t', name)}) WHEN 'array' THEN ${storedReference('t', name)} END)`
      : `SELECT ${storedReference('t', name)} #>> '{}'`,
  );
  return `SELECT t.id, t.deleted_at, EXISTS (SELECT FROM (${named.join(' UNION ALL ')}) named (id)
      WHERE named.id = ANY ($2::uuid[]::text[])) AS is_linked
    FROM (
      SELECT * FROM trash WHERE org_id = $1 AND resource = '${table.eventName}' AND record IS NOT NULL
        AND (deleted_at, id) > ($3::timestamptz, $4::uuid) ORDER BY deleted_at, id LIMIT $5
    ) t ORDER BY t.deleted_at, t.id`;
}
