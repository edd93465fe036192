import type { Migration } from '../migration.ts';

/** Stores how many refused posts were collected into notices. It is a separate migration, since it locks a busy table. */
export const reportedRefusals: Migration = {
  name: '031-reported-refusals',
  sql: `
    ALTER TABLE webhook_refusal_counts ADD COLUMN reported bigint NOT NULL DEFAULT 0;
    -- The table holds 7 days of counts, not of posts, so building this takes no time.
    CREATE INDEX webhook_refusal_counts_unreported ON webhook_refusal_counts (org_id, trigger_id, reason)
      WHERE refused > reported;
  `,
};
