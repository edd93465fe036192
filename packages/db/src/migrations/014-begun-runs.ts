import type { Migration } from '../migration.ts';

/**
 * Index of started runs that have not ended, so that runs of a lost worker are found however many new runs wait. On a
 * large table, the operator creates it with CONCURRENTLY before the upgrade.
 */
export const begunRuns: Migration = {
  name: '014-begun-runs',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_begun ON workflow_runs (org_id, due_at)
      WHERE status IN ('running', 'waiting') AND NOT is_limited;
  `,
};
