import { batchRows, inBatches, statement, upToBytes } from '@relata/db';
import { refusalDays } from './refusal.sql.ts';

const dropRefusals = statement<{ rows: number }>(
  'webhook_refusals.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT id, coalesce(pg_column_size(body), 0) AS bytes FROM webhook_refusals
     WHERE org_id = $1 AND refused_at < now() - interval '${refusalDays} days'
     ORDER BY id LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
   ), part AS MATERIALIZED (
     ${upToBytes('old')}
   ), dropped AS (
     DELETE FROM webhook_refusals WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM part)) RETURNING id
   ) SELECT count(*)::integer AS rows FROM dropped`,
);

const dropCounts = statement<never>(
  'webhook_refusal_counts.drop_old',
  `DELETE FROM webhook_refusal_counts
   WHERE org_id = $1 AND day <= (now() AT TIME ZONE 'UTC')::date - ${refusalDays}`,
);

/** Drops refused posts older than 7 days, and their counts, in small transactions. Returns the number of posts. */
export const dropOldRefusals = inBatches({ batch: dropRefusals, last: dropCounts });
