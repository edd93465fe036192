import type { Migration } from '../migration.ts';

/**
 * Stores how many refused posts were collected into notices. It is a separate migration, since it locks a busy table.
 */
export const reportedRefusals: Migration = {
  name: '031-reported-refusals',
  sql: `
    ALTER TABLE webhook_refusal_counts ADD COLUMN reported bigint NOT NULL DEFAULT 0;
    -- No index: the primary key finds the few rows of an organization, and an index on these columns would make every
    -- count write to all indexes.
  `,
};
