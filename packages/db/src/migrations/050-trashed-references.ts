import type { Migration } from '../migration.ts';

/**
 * References of deleted records that the undo of a merge has changed. The record itself stays as it was when it was
 * deleted, as in its last event.
 */
export const trashedReferences: Migration = {
  name: '050-trashed-references',
  sql: `
    ALTER TABLE trash
      -- Current values of the changed references by field; a restore writes them instead of those of the record.
      ADD COLUMN relinked jsonb;
  `,
};
