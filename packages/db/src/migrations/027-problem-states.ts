import type { Migration } from '../migration.ts';

/**
 * Records which problems people have resolved or ignored, removes replayed runs from problems, and stores how long a
 * run stayed failed before it was retried.
 */
export const problemStates: Migration = {
  name: '027-problem-states',
  sql: `
    -- A problem without a row is open. A resolved problem is open again once it has more failed runs, or a newer one,
    -- than its row has. Only readers compare this; writers of failed runs do not use the table.
    CREATE TABLE problem_states (
      org_id uuid NOT NULL,
      workflow_id uuid NOT NULL,
      step text NOT NULL,
      code text NOT NULL,
      state text NOT NULL CHECK (state IN ('resolved', 'ignored')),
      -- Time of the newest failure, and number of failed runs, when the state was set.
      failed_at timestamptz(3) NOT NULL,
      runs integer NOT NULL,
      -- Newest version of the workflow at that time.
      version integer NOT NULL,
      changed_by json NOT NULL,
      changed_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, workflow_id, step, code),
      FOREIGN KEY (org_id, workflow_id) REFERENCES workflows (org_id, id) ON DELETE CASCADE
    );
    CREATE INDEX problem_states_changed ON problem_states (org_id, changed_at);

    ALTER TABLE workflow_runs
      -- True if the run failed and its delivery was replayed later for the same workflow. It no longer belongs to a
      -- problem.
      ADD COLUMN is_replayed boolean NOT NULL DEFAULT false,
      -- Total time that the run stayed failed before it was retried.
      ADD COLUMN idle_ms double precision NOT NULL DEFAULT 0;
  `,
};
