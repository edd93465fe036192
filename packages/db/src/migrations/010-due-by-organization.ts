import type { Migration } from '../migration.ts';

/**
 * What is due of each organization, so that a sweep finds a run of one behind any number of another's. `workflow_runs_due`
 * is what the release before goes by; it can be dropped in the next one. Made by hand where the table is large.
 */
export const dueByOrganization: Migration = {
  name: '010-due-by-organization',
  sql: `
    CREATE INDEX IF NOT EXISTS workflow_runs_due_by_organization ON workflow_runs (org_id, due_at)
      WHERE status IN ('queued', 'running', 'waiting') AND NOT is_limited;
  `,
};
