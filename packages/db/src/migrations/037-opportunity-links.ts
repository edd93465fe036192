import type { Migration } from '../migration.ts';

/** The owner and the contacts of an opportunity. No foreign key protects the contacts; writers lock them instead. */
export const opportunityLinks: Migration = {
  name: '037-opportunity-links',
  sql: `
    ALTER TABLE opportunities
      ADD COLUMN owner_id uuid,
      ADD COLUMN contact_ids uuid[] NOT NULL DEFAULT '{}',
      ADD CONSTRAINT opportunities_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id) NOT VALID;
  `,
};
