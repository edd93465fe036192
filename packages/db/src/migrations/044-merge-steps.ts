import type { Migration } from '../migration.ts';

/** Progress of merges that take several transactions. */
export const mergeSteps: Migration = {
  name: '044-merge-steps',
  sql: `
    CREATE TABLE merge_steps (
      org_id uuid NOT NULL,
      winner_id uuid NOT NULL,
      -- In ascending order.
      loser_ids uuid[] NOT NULL,
      -- Numbers of records whose links were moved, by kind: the event of the merge has their sum.
      moved jsonb NOT NULL,
      PRIMARY KEY (org_id, winner_id, loser_ids)
    );
  `,
};
