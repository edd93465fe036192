import type { Migration } from '../migration.ts';

/** Adds a column for further facts about a change, which few changes have. */
export const eventDetails: Migration = {
  name: '028-event-details',
  sql: `
    ALTER TABLE events ADD COLUMN details json;
  `,
};
