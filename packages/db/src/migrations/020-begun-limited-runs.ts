import type { Migration } from '../migration.ts';

/** The same as 014 for runs of workflows that limit how many go on at once. Made by hand where the table is large. */
export const begunLimitedRuns: Migration = {
  name: '020-begun-limited-runs',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_begun_limited ON workflow_runs (org_id, workflow_id, due_at)
      WHERE status IN ('running', 'waiting') AND is_limited;
  `,
};
