import { type Database, statement } from '@relata/db';
import { buildIndexes, listIndexes } from '@relata/records';
import { say } from '@relata/testbed/suite-program';
import { insertSkewedRecords } from '@relata/testing/skewed-records';

const loaded = ['accounts', 'contacts', 'opportunities'];

/**
 * Adds records to a large organization and to small ones. Foreign keys are not checked, and indexes are built
 * afterwards, as in the restore of a dump.
 */
export async function loadRecords(
  database: Database,
  url: string,
  { large, small, rows }: { large: string; small: readonly string[]; rows: number },
): Promise<void> {
  const run = (sql: string) => database.query(statement<never>('', sql), []);
  for (const table of loaded) {
    await run(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    // Keeps the triggers that maintain the totals. Only the triggers of foreign keys stay disabled.
    await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
  for (const { index } of listIndexes) await run(`DROP INDEX IF EXISTS ${index}`);
  const counts = { contacts: rows, opportunities: rows, accounts: rows / 20, activities: 0, users: 20, pipelines: 1 };
  await insertSkewedRecords(database, large, counts);
  const few = { contacts: 1_000, opportunities: 1_000, accounts: 100, activities: 0, users: 5, pipelines: 1 };
  for (const orgId of small) await insertSkewedRecords(database, orgId, few);
  for (const table of loaded) await run(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  say('building indexes');
  await buildIndexes({ url });
  say('copying the records for the floor');
  for (const sql of floorTables) await run(sql);
  await run('VACUUM ANALYZE');
  await run('CHECKPOINT');
}

/** Statements that copy the tables for the floor, with the indexes that a developer would create for these filters. */
const floorTables = [
  'CREATE SCHEMA floor',
  ...['contacts', 'opportunities'].flatMap((table) => [
    `CREATE TABLE floor.${table} (LIKE public.${table} INCLUDING DEFAULTS)`,
    `INSERT INTO floor.${table} SELECT * FROM public.${table}`,
    `ALTER TABLE floor.${table} ADD PRIMARY KEY (org_id, id)`,
    ...['account_id', 'owner_id'].map((column) => `CREATE INDEX ON floor.${table} (org_id, ${column}, id)`),
    `CREATE INDEX ON floor.${table} USING gin (tags)`,
  ]),
  'CREATE INDEX ON floor.contacts (org_id, lower(last_name) text_pattern_ops)',
  'CREATE INDEX ON floor.opportunities (org_id, stage_id, id)',
];

const frequencies = (table: string, value: string) =>
  statement<{ value: string; n: number }>(
    '',
    `SELECT value, count(*)::int AS n FROM (SELECT ${value} AS value FROM ${table} WHERE org_id = $1) v
     WHERE value IS NOT NULL GROUP BY 1 ORDER BY n DESC`,
  );

/** Returns the values of a column, or of an expression, with the number of records that have each. */
export function countValues(database: Database, orgId: string, table: string, value: string) {
  return database.query(frequencies(table, value), [orgId]);
}
