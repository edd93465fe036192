import type { Migration } from '../migration.ts';

/**
 * Deliveries that did not satisfy a workflow's inputs, and the headers of refused posts, so that both can be replayed.
 */
export const keptPosts: Migration = {
  name: '030-kept-posts',
  sql: `
    -- True while the column skipped has a workflow with the reason refused.
    ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS has_refused boolean NOT NULL DEFAULT false;

    -- Headers of a post with the right secret.
    ALTER TABLE webhook_refusals ADD COLUMN IF NOT EXISTS headers json;
    -- The delivery that a replay made from the post.
    ALTER TABLE webhook_refusals ADD COLUMN IF NOT EXISTS delivery_id uuid;
  `,
};
