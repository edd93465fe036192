import { type Database, firstIdAt, statement } from '@relata/db';
import type { RecordTable } from '../table/record-table.ts';

/** Rows between two landmarks. Skipping that many index entries takes about half a millisecond. */
export const landmarkSpacing = 10_000;

/**
 * Number of landmarks set per transaction. During its few milliseconds, the organization's writers to this table wait,
 * and so do other organizations whose records are created by the same statement.
 */
export const landmarksAtOnce = 2;

/**
 * Age of a row, in ms, after which no row is inserted before it. A newer row can still get a predecessor, since clocks
 * of replicas differ, and transactions do not commit in the order of their ids.
 */
const settledAfterMs = 60_000;

const limitWait = statement<never>('landmarks.limit_wait', "SET LOCAL lock_timeout = '100ms'");

const lock = statement<never>('landmarks.lock', 'SELECT pg_advisory_xact_lock(landmarks_lock($1, $2))');

const selectLast = statement<{ position: number }>(
  'landmarks.last',
  'SELECT position FROM record_landmarks WHERE org_id = $1 AND resource = $2 ORDER BY position DESC LIMIT 1',
);

/** Returns the position of the last landmark of a list; 0 if it has none. */
export async function lastLandmark(database: Database, orgId: string, { name }: RecordTable<unknown>): Promise<number> {
  const [last] = await database.of(orgId).query(selectLast, [orgId, name]);
  return last?.position ?? 0;
}

/** Position of the last landmark of a list, and the number of landmarks just added. */
interface Extended {
  position: number;
  added: number;
}

/**
 * Sets the next landmarks of a list, up to an offset. Sets fewer than `landmarksAtOnce` if no more are needed, or if
 * there are not enough settled rows. Meanwhile the organization's writers to this table wait: a writer that began
 * earlier could not see the new landmarks, and so could not remove them. If running writers do not end soon, this fails
 * and sets no landmark.
 */
export function setNextLandmarks(
  database: Database,
  orgId: string,
  table: RecordTable<unknown>,
  offset: number,
): Promise<Extended> {
  const extend = statement<Extended>(`${table.name}.landmarks`, extendSql(table));
  return database.of(orgId).transaction(async (db) => {
    await db.query(limitWait, []);
    await db.query(lock, [orgId, table.name]);
    const [extended] = await db.query(extend, [orgId, firstIdAt(Date.now() - settledAfterMs), offset]);
    return extended!;
  });
}

function extendSql({ name }: RecordTable<unknown>): string {
  return `WITH RECURSIVE last AS (
      SELECT id, position FROM record_landmarks WHERE org_id = $1 AND resource = '${name}'
      UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 0
      ORDER BY position DESC LIMIT 1
    ), landmark AS (
      SELECT id, position, 0 AS place FROM last
      UNION ALL
      SELECT next.id, landmark.position + ${landmarkSpacing}, place + 1
      FROM landmark, LATERAL (
        SELECT r.id FROM ${name} r WHERE r.org_id = $1 AND r.id >= landmark.id ORDER BY r.id LIMIT 1 OFFSET ${landmarkSpacing}
      ) next
      WHERE place < ${landmarksAtOnce} AND landmark.position + ${landmarkSpacing} <= $3::bigint AND next.id < $2
    ), added AS (
      INSERT INTO record_landmarks (org_id, resource, id, position)
      SELECT $1, '${name}', id, position FROM landmark WHERE place > 0
      ON CONFLICT DO NOTHING
      RETURNING position
    )
    SELECT last.position + ${landmarkSpacing} * count(added.position) AS position, count(added.position) AS added
    FROM last LEFT JOIN added ON true GROUP BY last.position`;
}
