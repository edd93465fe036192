import { type Database, firstIdAt, statement } from '@relata/db';
import type { RecordTable } from '../table/record-table.ts';

/** Rows between two landmarks: passing over so many index entries takes about half a millisecond. */
export const landmarkSpacing = 10_000;

/** Newer rows may still get a row before them: replicas' clocks differ, and commits overtake each other. */
const settledAfterMs = 60_000;

const limitWait = statement<never>('landmarks.limit_wait', "SET LOCAL lock_timeout = '100ms'");

const lock = statement<never>('landmarks.lock', 'SELECT pg_advisory_xact_lock(landmarks_lock($1, $2))');

/**
 * Sets the next landmark of a list and returns its position; undefined where there are not enough settled rows. For the
 * millisecond or two that this takes, the organization's writers of this table wait: one that began before could not
 * see the new landmark, and so not remove it. Where writers do not end soon, no landmark is set this time.
 */
export function setNextLandmark(
  database: Database,
  orgId: string,
  table: RecordTable<unknown>,
): Promise<number | undefined> {
  const extend = statement<{ position: number }>(`${table.name}.landmark`, extendSql(table));
  return database.of(orgId).transaction(async (db) => {
    await db.query(limitWait, []);
    await db.query(lock, [orgId, table.name]);
    const [set] = await db.query(extend, [orgId, firstIdAt(Date.now() - settledAfterMs)]);
    return set?.position;
  });
}

function extendSql({ name }: RecordTable<unknown>): string {
  return `WITH last AS (
      SELECT id, position FROM record_landmarks WHERE org_id = $1 AND resource = '${name}'
      UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 0
      ORDER BY position DESC LIMIT 1
    )
    INSERT INTO record_landmarks (org_id, resource, id, position)
    SELECT $1, '${name}', next.id, last.position + ${landmarkSpacing}
    FROM last, LATERAL (
      SELECT r.id FROM ${name} r WHERE r.org_id = $1 AND r.id >= last.id ORDER BY r.id LIMIT 1 OFFSET ${landmarkSpacing}
    ) next
    WHERE next.id < $2
    ON CONFLICT DO NOTHING
    RETURNING position`;
}
