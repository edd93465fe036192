import type { Migration } from '../migration.ts';

/**
 * Index like that of migration 014, for runs of workflows with a concurrency limit. On a large table, the operator
 * creates it with CONCURRENTLY before the upgrade.
 */
export const begunLimitedRuns: Migration = {
  name: '020-begun-limited-runs',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_begun_limited ON workflow_runs (org_id, workflow_id, due_at)
      WHERE status IN ('running', 'waiting') AND is_limited;
  `,
};
