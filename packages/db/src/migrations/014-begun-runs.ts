import type { Migration } from '../migration.ts';

/**
 * Runs that were begun and have not ended, so that those whose worker was lost are found behind any number of new ones.
 * Made by hand where the table is large.
 */
export const begunRuns: Migration = {
  name: '014-begun-runs',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_begun ON workflow_runs (org_id, due_at)
      WHERE status IN ('running', 'waiting') AND NOT is_limited;
  `,
};
