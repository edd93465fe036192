import { batchRows, inBatches, statement } from '@relata/db';
import { signedPostDays } from './delivery-store.sql.ts';

const dropPosts = statement<{ rows: number }>(
  'webhook_signed_posts.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT trigger_id, body_hash FROM webhook_signed_posts
     WHERE org_id = $1 AND received_at < now() - interval '${signedPostDays} days'
     ORDER BY received_at LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
   ), dropped AS (
     DELETE FROM webhook_signed_posts p USING old
     WHERE p.org_id = $1 AND p.trigger_id = old.trigger_id AND p.body_hash = old.body_hash
   ) SELECT count(*)::integer AS rows FROM old`,
);

/**
 * Deletes the records of signed posts that are older than `signedPostDays`, in small transactions. Returns the number
 * of records. A later copy of such a post counts as a new delivery.
 */
export const dropOldSignedPosts = inBatches({ batch: dropPosts });
