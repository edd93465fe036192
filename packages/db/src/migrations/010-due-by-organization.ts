import type { Migration } from '../migration.ts';

/**
 * Index of due runs by organization, so that a sweep finds an organization's due runs without reading those of others.
 * The previous release uses `workflow_runs_due`, which the next release can drop. On a large table, the operator
 * creates this index with CONCURRENTLY before the upgrade.
 */
export const dueByOrganization: Migration = {
  name: '010-due-by-organization',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_due_by_organization ON workflow_runs (org_id, due_at)
      WHERE status IN ('queued', 'running', 'waiting') AND NOT is_limited;
  `,
};
