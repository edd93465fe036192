import type { Migration } from '../migration.ts';

/** The account that a contact works for. */
export const contactAccounts: Migration = {
  name: '035-contact-accounts',
  sql: `
    ALTER TABLE contacts
      ADD COLUMN account_id uuid,
      ADD CONSTRAINT contacts_account_id FOREIGN KEY (org_id, account_id) REFERENCES accounts (org_id, id) NOT VALID;
  `,
};
