import type { Migration } from '../migration.ts';

/**
 * The owner of an account. The foreign keys of this migration and the next three hold for new rows: to check all rows
 * would lock the table for as long as they are read. Each refers to one other table, for which it waits while its own is
 * locked; `lockTimeoutMs` bounds that wait.
 */
export const accountOwners: Migration = {
  name: '034-account-owners',
  sql: `
    ALTER TABLE accounts
      ADD COLUMN owner_id uuid,
      ADD CONSTRAINT accounts_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
  `,
};
