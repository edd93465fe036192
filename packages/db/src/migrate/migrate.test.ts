import { openDatabase } from '../connections/database.ts';
import { createLog } from '@relata/runtime';
import { until } from '@relata/testing';
import { inject, expect, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../testing/src/database-admin.ts';
import { migrateDatabase } from './migrate.ts';
import type { Migration } from '../migration.ts';
import { schemaCompatibility } from '../migrations/033-schema-compatibility.ts';
import { allowScopes } from '../migrations/allow-scopes.sql.ts';
import { migrations } from '../migrations/index.ts';
import { awaitSchema, checkSchema, SchemaVersionError } from './schema-version.ts';
import { statement } from '../statement.ts';

async function emptyDatabase(stack: AsyncDisposableStack) {
  const name = `relata_migrate_${crypto.randomUUID().replaceAll('-', '')}`;
  const url = await createDatabase(inject('postgresUrl'), name);
  stack.defer(() => dropDatabase(inject('postgresUrl'), name));
  return { url, database: stack.use(openDatabase({ url, name: 'test' })) };
}

test('replicas that migrate at the same time run every migration once', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  const ran = await Promise.all([1, 2, 3, 4].map(() => migrateDatabase({ url })));
  expect(ran.flat().toSorted()).toEqual(migrations.map(({ name }) => name));
  expect(await checkSchema(database)).toEqual([]);
});

test('migrations wait for an index that is being built, and the build does not wait for them', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  const query = (sql: string) => database.query(statement<Record<string, unknown>>('', sql), []);
  const ended = Promise.withResolvers<void>();
  const writing = database.transaction(async (db) => {
    await db.query(statement('', 'UPDATE contacts SET title = title'), []);
    await ended.promise;
  });
  await until(async () => expect(await query(`SELECT FROM pg_locks WHERE mode = 'RowExclusiveLock'`)).not.toEqual([]));
  const building = query('CREATE INDEX CONCURRENTLY contacts_title ON contacts (title)');
  const altering: Migration = { name: '998-next', sql: 'ALTER TABLE contacts ADD COLUMN next integer' };
  const migrating = [1, 2].map(() => migrateDatabase({ url }, [...migrations, altering]));
  const waits = `SELECT FROM pg_stat_activity WHERE application_name = 'relata-migrate' AND wait_event_type = 'Lock'`;
  await until(async () => expect(await query(waits)).not.toEqual([]));
  ended.resolve();
  await writing;
  await building;
  expect((await Promise.all(migrating)).flat()).toEqual(['998-next']);
});

test('a migration may take longer than the time limits of its role', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await database.query(statement('', `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${limit} = '2s'`), []);
  const long: Migration = { name: '998-long', sql: 'SELECT pg_sleep(2.3)' };
  expect(await migrateDatabase({ url }, [...migrations, long])).toEqual(['998-long']);
});

test('a killed migration leaves no lock behind', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  const lock = 'CREATE TABLE schema_migrations_lock ("index" serial PRIMARY KEY, is_locked integer)';
  await database.query(statement('', lock), []);
  await database.query(statement('', 'INSERT INTO schema_migrations_lock (is_locked) VALUES (1)'), []);
  expect(await migrateDatabase({ url })).toHaveLength(migrations.length);
});

test('rejects an empty or older database, and names the command to run', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await expect(checkSchema(database)).rejects.toThrow(SchemaVersionError);
  await migrateDatabase({ url });
  const last = migrations.at(-1)!.name;
  await database.query(statement('', 'DELETE FROM schema_migrations WHERE name = $1'), [last]);
  await expect(checkSchema(database)).rejects.toThrow(`it lacks ${last}. Run: relata migrate`);
});

const next: Migration = { name: '998-next', sql: 'CREATE TABLE next_release (id uuid)' };
const contraction: Migration = { name: '999-contract', sql: 'DROP TABLE next_release', oldest: next };

test('logs one line if PostgreSQL is down at the start (found D6)', async () => {
  await using database = openDatabase({ url: 'postgres://a:b@127.0.0.1:9/c', name: 'test' });
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
  // Several attempts fail within this time.
  await expect(awaitSchema(database, { log, signal: AbortSignal.timeout(1_500) })).rejects.toThrow('aborted');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', msg: 'waiting for PostgreSQL', reason: 'connect ECONNREFUSED 127.0.0.1:9' },
  ]);
});

test('a release runs on the schema of the next release, and its own `migrate` changes nothing there (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  expect(await migrateDatabase({ url }, [...migrations, next])).toEqual([next.name]);
  expect(await checkSchema(database)).toEqual([next.name]);
  expect(await migrateDatabase({ url })).toEqual([]);
});

test('after a contraction, releases without the migration that it names are refused with the reason (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  const newest = [...migrations, next, contraction];
  await migrateDatabase({ url }, newest);
  expect(await checkSchema(database, [...migrations, next])).toEqual([contraction.name]);
  const refused =
    'it also has 998-next, 999-contract. Only releases that include migration 998-next run on it. Start the newer';
  await expect(checkSchema(database)).rejects.toThrow(refused);
  await expect(migrateDatabase({ url })).rejects.toThrow(refused);
});

test('a release with a migration that the newer database lacks is refused, even if the database allows older releases (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url }, [...migrations, next]);
  const sibling = [...migrations, { name: '998-sibling', sql: 'SELECT' }];
  const refused = /it also has 998-next and lacks 998-sibling\. Start the release that migrated it\.$/;
  await expect(checkSchema(database, sibling)).rejects.toThrow(refused);
  await expect(migrateDatabase({ url }, sibling)).rejects.toThrow(refused);
});

/**
 * Patterns of statements that can break an older release: it may read something that was dropped, or write something
 * that is now refused.
 */
const contracts = [
  /\bDROP (?!NOT NULL|INDEX|TRIGGER|CONSTRAINT)\w/i,
  /\bRENAME\b/i,
  /\bSET NOT NULL\b/i,
  /\bADD (?:CONSTRAINT \S+ )?(?:CHECK|UNIQUE|PRIMARY KEY|EXCLUDE)\b/i,
  /\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i,
  /\bADD (?:COLUMN )?(?:IF NOT EXISTS )?(?!CONSTRAINT)\w+ [^,;]*\bNOT NULL\b(?![^,;]*\bDEFAULT\b)/i,
];

/** Pattern of a statement that replaces the list of scopes that a key can have; see `allow-scopes.sql.ts`. */
const allowedScopes =
  /ALTER TABLE api_keys DROP CONSTRAINT (api_keys_scopes_check), ADD CONSTRAINT \1 CHECK \(scopes <@ ARRAY\[[^\]]*\]\)/g;

/** Returns true if a migration contracts the schema and declares no `oldest`. */
function isSilent({ sql, oldest }: Migration): boolean {
  const code = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').replaceAll(allowedScopes, '');
  return oldest === undefined && contracts.some((pattern) => pattern.test(code));
}

/** Returns the migrations whose `oldest` does not precede them, or precedes the `oldest` of an earlier migration. */
function misplaced(all: readonly Migration[]): string[] {
  let newest = 0;
  return all.flatMap(({ name, oldest }, at) => {
    if (!oldest) return [];
    const named = all.indexOf(oldest);
    const isMisplaced = named < newest || named >= at;
    newest = Math.max(newest, named);
    return isMisplaced ? [name] : [];
  });
}

test.each([
  'DROP TABLE a',
  'ALTER TABLE a DROP COLUMN c',
  'ALTER TABLE a\n  DROP c',
  'ALTER TABLE a DROP IF EXISTS c',
  'ALTER TABLE a ALTER c DROP DEFAULT',
  'DROP FUNCTION f',
  'DROP TYPE t',
  'ALTER TABLE a RENAME c TO d',
  'ALTER TABLE a ALTER c SET NOT NULL',
  'ALTER TABLE a ADD CHECK (c > 0)',
  'ALTER TABLE a ADD CONSTRAINT a_c UNIQUE (c)',
  'ALTER TABLE a ALTER COLUMN c TYPE text',
  'ALTER TABLE a ALTER c SET DATA TYPE text',
  'ALTER TABLE a ADD c text NOT NULL',
  'ALTER TABLE a ADD COLUMN c text NOT NULL, ADD COLUMN d text DEFAULT 1',
])('%j has to name the oldest release that still works', (sql) => {
  expect(isSilent({ name: '999', sql })).toBe(true);
  expect(isSilent({ name: '999', sql, oldest: next })).toBe(false);
});

test.each([
  'CREATE TABLE a (id uuid NOT NULL PRIMARY KEY CHECK (id > 0))',
  'CREATE INDEX a_c ON a (c); DROP INDEX a_d',
  'ALTER TABLE a ADD COLUMN c text',
  "ALTER TABLE a ADD COLUMN c uuid[] NOT NULL DEFAULT '{}'",
  'ALTER TABLE a ALTER c DROP NOT NULL',
  'ALTER TABLE a ADD CONSTRAINT a_c FOREIGN KEY (c) REFERENCES b (id) NOT VALID',
  'ALTER TABLE a DROP CONSTRAINT a_c; -- and later DROP TABLE b',
  allowScopes(['records:read', 'records:delete']),
])('%j works for older releases', (sql) => {
  expect(isSilent({ name: '999', sql })).toBe(false);
});

test('a contraction names an earlier migration, and no release that an earlier contraction excluded', () => {
  const [a, b]: Migration[] = ['a', 'b'].map((name) => ({ name, sql: '' }));
  const naming = (oldest: Migration): Migration => ({ name: 'contraction', sql: '', oldest });
  expect(misplaced([a!, b!, naming(a!), naming(b!)])).toEqual([]);
  expect(misplaced([a!, b!, naming(b!), naming(a!)])).toEqual(['contraction']);
  expect(misplaced([a!, naming(b!)])).toEqual(['contraction']);
  expect(misplaced([a!, naming(b!), b!])).toEqual(['contraction']);
});

test('a migration that breaks older releases names the oldest release that still works', () => {
  const since = migrations.slice(migrations.indexOf(schemaCompatibility) + 1);
  expect(since.filter(isSilent).map(({ name }) => name)).toEqual([]);
  expect(misplaced(migrations)).toEqual([]);
});

test('a migration lets current and later users of its table go first, and runs when the table is free', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  // This migration can be repeated, and locks the table first.
  const again = migrations.findLast(({ sql }) => sql.includes('CREATE INDEX IF NOT EXISTS workflow_runs'))!.name;
  await database.query(statement('', 'DELETE FROM schema_migrations WHERE name = $1'), [again]);
  const write = statement('', 'LOCK TABLE workflow_runs IN ROW EXCLUSIVE MODE');
  const said = Promise.withResolvers<string>();
  const migrated = await database.transaction(async (db) => {
    await db.query(write, []);
    const migrating = migrateDatabase({ url, log: said.resolve });
    expect(await said.promise).toMatch(/uses a table\. Trying again/);
    // If the migration did not give way, this statement would wait behind it.
    await database.transaction((later) => later.query(write, []));
    return { migrating };
  });
  expect(await migrated.migrating).toEqual([again]);
});
