import type { Migration } from '../migration.ts';

/**
 * Links between records. The foreign keys hold for new rows only: to check all rows here would lock the tables for as
 * long as they are read. The next migration checks them.
 */
export const links: Migration = {
  name: '034-links',
  sql: `
    ALTER TABLE accounts
      ADD COLUMN owner_id uuid,
      ADD CONSTRAINT accounts_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
    ALTER TABLE contacts
      ADD COLUMN account_id uuid,
      ADD COLUMN owner_id uuid,
      ADD CONSTRAINT contacts_account_id FOREIGN KEY (org_id, account_id) REFERENCES accounts (org_id, id) NOT VALID,
      ADD CONSTRAINT contacts_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
    ALTER TABLE opportunities
      ADD COLUMN owner_id uuid,
      -- No foreign key guards these ids: who writes them locks the contacts.
      ADD COLUMN contact_ids uuid[] NOT NULL DEFAULT '{}',
      ADD CONSTRAINT opportunities_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
  `,
};
