import { setTimeout as pause } from 'node:timers/promises';
import { type Database, plannedStatement, statement } from '@relata/db';
import type { ValueTable } from '../table/value-table.ts';

/** Records of one transaction: others wait some 20 ms for it if they change one of them. */
const recordsMax = 1_000;
/** A writer that waits for records of ours, and we for one of its, is waited for no longer. Only we have to repeat. */
const lockTimeout = statement<never>('indexes.fill_wait', `SET LOCAL lock_timeout = '200ms'`);
const retryMs = 100;

interface Place {
  org_id: string;
  id: string;
}

const first: Place = { org_id: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Adds the values of records that are older than the triggers of a table of values, beside running apps. May be repeated
 * or interrupted. Locks the records that it reads, since a value that is taken away meanwhile would be added again.
 */
export async function fillValues(
  database: Database,
  { records, list, values: { name, value } }: { records: string; list: string; values: ValueTable },
): Promise<void> {
  const fill = plannedStatement<Place>(
    'indexes.fill',
    `WITH read AS MATERIALIZED (
       SELECT org_id, id, ${list} AS list FROM ${records}
       WHERE (org_id, id) > ($1::uuid, $2::uuid) AND ${list} <> '{}' ORDER BY org_id, id LIMIT ${recordsMax} FOR SHARE
     ), filled AS (
       INSERT INTO ${name} (org_id, id, ${value}) SELECT org_id, id, unnest(list) FROM read ON CONFLICT DO NOTHING
     )
     SELECT org_id, id FROM read ORDER BY org_id DESC, id DESC LIMIT 1`,
  );
  let place: Place | undefined = first;
  while (place) {
    const { org_id, id }: Place = place;
    try {
      place = await database.transaction(async (db) => {
        await db.query(lockTimeout, []);
        return (await db.query(fill, [org_id, id]))[0];
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockNotAvailable) throw error;
      await pause(retryMs);
    }
  }
  await database.query(statement<never>('', `VACUUM (ANALYZE) ${name}`), []);
}

const lockNotAvailable = '55P03';
