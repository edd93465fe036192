import type { Migration } from '../migration.ts';

/**
 * When the attempt at a step began that is under way or was the last. NULL where the step was begun with it, and for what
 * an earlier release did.
 */
export const attemptTimes: Migration = {
  name: '022-attempt-times',
  sql: `
    ALTER TABLE workflow_run_steps ADD COLUMN attempt_at timestamptz(3);
  `,
};
