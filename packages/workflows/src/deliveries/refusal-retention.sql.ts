import { type Database, statement } from '@relata/db';
import { refusalDays } from './refusal.sql.ts';

const batchRows = 1_000;

const listOrganizations = statement<{ id: string }>('refusals.organizations', 'SELECT id FROM organizations');

const dropRefusals = statement<{ refusals: number }>(
  'webhook_refusals.drop_old',
  `WITH dropped AS (
     DELETE FROM webhook_refusals WHERE org_id = $1 AND id IN (
       SELECT id FROM webhook_refusals WHERE org_id = $1 AND refused_at < now() - interval '${refusalDays} days'
       ORDER BY id LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) RETURNING id
   ) SELECT count(*)::integer AS refusals FROM dropped`,
);

const dropCounts = statement<never>(
  'webhook_refusal_counts.drop_old',
  `DELETE FROM webhook_refusal_counts
   WHERE org_id = $1 AND day <= (now() AT TIME ZONE 'UTC')::date - ${refusalDays}`,
);

/** Drops refused posts older than 7 days, and their counts, in small transactions. Returns the number of posts. */
export async function dropOldRefusals(database: Database, signal?: AbortSignal): Promise<number> {
  let dropped = 0;
  for (const { id: orgId } of await database.query(listOrganizations, [])) {
    for (let last = batchRows; last === batchRows; dropped += last) {
      signal?.throwIfAborted();
      const [row] = await database.query(dropRefusals, [orgId]);
      last = row!.refusals;
    }
    await database.query(dropCounts, [orgId]);
  }
  return dropped;
}
