import type { Migration } from '../migration.ts';

/**
 * Index of due runs by organization, so that a sweep finds a run of one behind any number of another's. The previous
 * release uses `workflow_runs_due`, which can be dropped in the next one. In a large table this index is created by
 * hand.
 */
export const dueByOrganization: Migration = {
  name: '010-due-by-organization',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_due_by_organization ON workflow_runs (org_id, due_at)
      WHERE status IN ('queued', 'running', 'waiting') AND NOT is_limited;
  `,
};
