import type { Migration } from '../migration.ts';

/** Facts about a merge that its undo needs. */
export const merges: Migration = {
  name: '041-merges',
  sql: `
    ALTER TABLE trash
      -- The event of the merge, and the fields of the winner that this record filled.
      ADD COLUMN merge_event_id uuid,
      ADD COLUMN filled text[];
    ALTER TABLE trash_links
      -- True if the list also had the winner before the merge; NULL if a delete cleared the link.
      ADD COLUMN had_winner boolean;
  `,
};
