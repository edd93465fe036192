import type { Migration } from '../migration.ts';

/** The owner of a contact. */
export const contactOwners: Migration = {
  name: '036-contact-owners',
  sql: `
    ALTER TABLE contacts
      ADD COLUMN owner_id uuid,
      ADD CONSTRAINT contacts_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
  `,
};
