import type { Migration } from '../migration.ts';

/** Checks the foreign keys of links in all rows, while reads and writes continue. */
export const checkedLinks: Migration = {
  name: '038-checked-links',
  sql: `
    ALTER TABLE accounts VALIDATE CONSTRAINT accounts_owner_id;
    ALTER TABLE contacts VALIDATE CONSTRAINT contacts_account_id;
    ALTER TABLE contacts VALIDATE CONSTRAINT contacts_owner_id;
    ALTER TABLE opportunities VALIDATE CONSTRAINT opportunities_owner_id;
  `,
};
