import { setTimeout as pause } from 'node:timers/promises';
import { type Database, plannedStatement, statement } from '@relata/db';
import { nilId } from '@relata/schemas';
import type { ListIndex } from './list-index.ts';

/**
 * Maximum number of records that a transaction reads. A writer that changes one of them waits about 20 ms if the record
 * has values.
 */
const recordsMax = 1_000;
/** Number of records that a transaction reads after a wait, so that it locks few records if it must wait again. */
const recordsMin = 10;
/**
 * Limits how long a transaction waits for writers. If a writer also waits for records of this transaction, PostgreSQL
 * cancels one of the two transactions as the victim of a deadlock, after a second. With these limits, this transaction
 * fails first and is repeated.
 */
const bounds = statement<never>(
  'indexes.fill_bounds',
  `SELECT WHERE set_config('lock_timeout', '200ms', true) IS NULL OR set_config('statement_timeout', '800ms', true) IS NULL`,
);
/** SQLSTATEs of a transaction that waited too long, or was the victim of a deadlock. */
const waitedStates: ReadonlySet<unknown> = new Set(['55P03', '57014', '40P01']);
const retryMs = 100;

interface Place {
  org_id: string;
  id: string;
}

const first: Place = { org_id: nilId, id: nilId };

/**
 * Adds the values of records that are older than the triggers of a table of values, while the apps run. It can be
 * interrupted and repeated. Locks the records that have values: otherwise it might add a value that is being removed.
 */
export async function fillValues(
  database: Database,
  { records, list, values: { name, value } }: NonNullable<ListIndex['valuesOf']>,
  log?: (line: string) => void,
): Promise<void> {
  const fill = plannedStatement<Place>(
    'indexes.fill',
    `WITH next AS MATERIALIZED (
       SELECT org_id, id FROM ${records} WHERE (org_id, id) > ($1::uuid, $2::uuid) ORDER BY org_id, id LIMIT $3::int
     ), read AS MATERIALIZED (
       SELECT r.org_id, r.id, r.${list} AS list FROM next JOIN ${records} r USING (org_id, id)
       WHERE r.${list} <> '{}' ORDER BY r.org_id, r.id FOR SHARE OF r
     ), filled AS (
       INSERT INTO ${name} (org_id, id, ${value}) SELECT org_id, id, unnest(list) FROM read ON CONFLICT DO NOTHING
     )
     SELECT org_id, id FROM next ORDER BY org_id DESC, id DESC LIMIT 1`,
  );
  let hasWaited = false;
  let count = recordsMax;
  let place: Place | undefined = first;
  while (place) {
    const { org_id, id }: Place = place;
    try {
      place = await database.transaction(async (db) => {
        await db.query(bounds, []);
        return (await db.query(fill, [org_id, id, count]))[0];
      });
      count = Math.min(recordsMax, 2 * count);
    } catch (error) {
      if (!waitedStates.has((error as { code?: unknown }).code)) throw error;
      if (!hasWaited) log?.(`Waiting for a writer that keeps ${records} locked`);
      hasWaited = true;
      count = recordsMin;
      await pause(retryMs);
    }
  }
  await database.query(statement<never>('', `VACUUM (ANALYZE) ${name}`), []);
}
