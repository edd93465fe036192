import type { Migration } from '../migration.ts';

/**
 * The owner of an account. The foreign keys of this migration and the next three check only new rows: checking all rows
 * would lock the table while they are read. Each of them refers to one other table, and waits for a lock on it while it
 * holds the lock on its own table; `lockTimeoutMs` limits this wait.
 */
export const accountOwners: Migration = {
  name: '034-account-owners',
  sql: `
    ALTER TABLE accounts
      ADD COLUMN owner_id uuid,
      ADD CONSTRAINT accounts_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
  `,
};
