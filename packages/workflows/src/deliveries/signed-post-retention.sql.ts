import { type Database, statement } from '@relata/db';
import { signedPostDays } from './delivery-store.sql.ts';

const batchRows = 1_000;

const listOrganizations = statement<{ id: string }>('signed_posts.organizations', 'SELECT id FROM organizations');

const dropPosts = statement<{ posts: number }>(
  'webhook_signed_posts.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT trigger_id, body_hash FROM webhook_signed_posts
     WHERE org_id = $1 AND received_at < now() - interval '${signedPostDays} days'
     ORDER BY received_at LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
   ), dropped AS (
     DELETE FROM webhook_signed_posts p USING old
     WHERE p.org_id = $1 AND p.trigger_id = old.trigger_id AND p.body_hash = old.body_hash
   ) SELECT count(*)::integer AS posts FROM old`,
);

/** Drops records of signed posts once copies would count as new, in small transactions. Returns how many. */
export async function dropOldSignedPosts(database: Database, signal?: AbortSignal): Promise<number> {
  let dropped = 0;
  for (const { id: orgId } of await database.query(listOrganizations, [])) {
    for (let last = batchRows; last === batchRows; dropped += last) {
      signal?.throwIfAborted();
      const [row] = await database.query(dropPosts, [orgId]);
      last = row!.posts;
    }
  }
  return dropped;
}
