import type { Migration } from '../migration.ts';

/**
 * Records which problems people have resolved or ignored, removes replayed runs from problems, and stores for how long
 * a run lay failed between retries.
 */
export const problemStates: Migration = {
  name: '027-problem-states',
  sql: `
    -- A problem without a row is open. One that is resolved is open again once it has failed more often, or later, than
    -- its row says: nothing is written for that, and nobody who writes failed runs looks here.
    CREATE TABLE problem_states (
      org_id uuid NOT NULL,
      workflow_id uuid NOT NULL,
      step text NOT NULL,
      code text NOT NULL,
      state text NOT NULL CHECK (state IN ('resolved', 'ignored')),
      -- The newest failure that was known to who put it aside, and how many there were.
      failed_at timestamptz(3) NOT NULL,
      runs integer NOT NULL,
      -- The newest version of the workflow then.
      version integer NOT NULL,
      changed_by json NOT NULL,
      changed_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, workflow_id, step, code),
      FOREIGN KEY (org_id, workflow_id) REFERENCES workflows (org_id, id) ON DELETE CASCADE
    );
    CREATE INDEX problem_states_changed ON problem_states (org_id, changed_at);

    ALTER TABLE workflow_runs
      -- A failed run whose delivery was replayed since, for the same workflow: it is no part of a problem any more.
      ADD COLUMN is_replayed boolean NOT NULL DEFAULT false,
      -- How long it lay failed before it was retried, all together.
      ADD COLUMN idle_ms double precision NOT NULL DEFAULT 0;
  `,
};
