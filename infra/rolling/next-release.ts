import type { migrations } from '@relata/db/migrations';

/** Tables that requests and runs read or write all the time. */
const busyTables = [
  ...'api_keys organizations contacts custom_activities events'.split(' '),
  ...'webhook_triggers webhook_deliveries workflows workflow_runs sessions'.split(' '),
];

/** Index that is created by hand before the release, as CONTRIBUTING requires for tables that may be large. */
export const indexByHand =
  'CREATE INDEX CONCURRENTLY contacts_next_release ON contacts (org_id, last_name) WHERE last_name IS NOT NULL';

/**
 * The migrations of a future release. Each expands the schema: by columns of a busy table, an index that was created by
 * hand, or a table. The current release continues to run on the result.
 */
export const nextMigrations: typeof migrations = [
  ...busyTables.map((table, at) => ({
    name: `9${String(at).padStart(2, '0')}-next-${table.replaceAll('_', '-')}`,
    sql: `ALTER TABLE ${table} ADD COLUMN of_next_release integer NOT NULL DEFAULT 7, ADD COLUMN said_next text;`,
  })),
  {
    name: '990-next-index',
    sql: `${indexByHand.replace('CONCURRENTLY', 'IF NOT EXISTS')};`,
  },
  {
    name: '991-next-table',
    sql: 'CREATE TABLE next_release (org_id uuid PRIMARY KEY REFERENCES organizations (id), said text);',
  },
];
