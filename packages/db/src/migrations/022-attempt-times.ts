import type { Migration } from '../migration.ts';

/**
 * Start of the current or last attempt at a step. NULL if the step began with that attempt, or was executed by an
 * earlier release.
 */
export const attemptTimes: Migration = {
  name: '022-attempt-times',
  sql: `
    ALTER TABLE workflow_run_steps ADD COLUMN attempt_at timestamptz(3);
  `,
};
