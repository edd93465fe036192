import type { Migration } from '../migration.ts';

/**
 * Indexes of the links that deletes follow. They have only rows with a link, of which a table that has just received the
 * columns has none.
 */
export const linkIndexes: Migration = {
  name: '041-link-indexes',
  sql: `
    CREATE INDEX IF NOT EXISTS contacts_account ON contacts (org_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS opportunities_contact_ids ON opportunities USING gin (contact_ids)
      WHERE contact_ids <> '{}';
  `,
};
