import type { Migration } from '../migration.ts';

/** Adds further facts about a change to its event, for the few changes that have some. */
export const eventDetails: Migration = {
  name: '028-event-details',
  sql: `
    ALTER TABLE events ADD COLUMN details json;
  `,
};
