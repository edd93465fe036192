import type { Migration } from '../migration.ts';

/**
 * Indexes with which workflows find existing records, in addition to those for an account's domain and a contact's
 * email. On large tables, the operator creates them with CONCURRENTLY before the upgrade.
 */
export const recordMatches: Migration = {
  name: '006-record-matches',
  sql: `
    CREATE INDEX IF NOT EXISTS accounts_account_name
      ON accounts (org_id, hashtextextended(lower(account_name), 0), id);
    ${['accounts', 'contacts', 'opportunities'].map(crmIdIndex).join('\n')}
  `,
};

function crmIdIndex(table: string): string {
  return `
    CREATE INDEX IF NOT EXISTS ${table}_crm_id ON ${table} (org_id, hashtextextended(crm_id, 0), id)
      WHERE crm_id IS NOT NULL;`;
}
