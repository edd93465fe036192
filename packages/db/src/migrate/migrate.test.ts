import { openDatabase } from '../connections/database.ts';
import { createLog } from '@relata/runtime';
import { inject, expect, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../testing/src/database-admin.ts';
import { migrateDatabase } from './migrate.ts';
import type { Migration } from '../migration.ts';
import { schemaCompatibility } from '../migrations/033-schema-compatibility.ts';
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

test('an outage of PostgreSQL at the start is one line (found D6)', async () => {
  await using database = openDatabase({ url: 'postgres://a:b@127.0.0.1:9/c', name: 'test' });
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
  // Several attempts fail within this time.
  await expect(awaitSchema(database, { log, signal: AbortSignal.timeout(1_500) })).rejects.toThrow('aborted');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', msg: 'waiting for PostgreSQL', reason: 'connect ECONNREFUSED 127.0.0.1:9' },
  ]);
});

test('a release runs on the schema of the next one, whose migration changes nothing there (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  expect(await migrateDatabase({ url }, [...migrations, next])).toEqual([next.name]);
  expect(await checkSchema(database)).toEqual([next.name]);
  expect(await migrateDatabase({ url })).toEqual([]);
});

test('after a contraction only releases that have the migration it names run, and others say so (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  const newest = [...migrations, next, contraction];
  await migrateDatabase({ url }, newest);
  expect(await checkSchema(database, [...migrations, next])).toEqual([contraction.name]);
  const refused = 'it also has 998-next, 999-contract. Only releases that have 998-next run on it. Start the newer';
  await expect(checkSchema(database)).rejects.toThrow(refused);
  await expect(migrateDatabase({ url })).rejects.toThrow(refused);
});

test('a release with a migration that the newer database lacks is refused (found D2)', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url }, [...migrations, next]);
  const sibling = [...migrations, { name: '998-sibling', sql: 'SELECT' }];
  await expect(checkSchema(database, sibling)).rejects.toThrow('it also has 998-next and lacks 998-sibling.');
  await expect(migrateDatabase({ url }, sibling)).rejects.toThrow('it also has 998-next and lacks 998-sibling.');
});

test('a migration that drops or renames what older releases use names the oldest release that still works', () => {
  const since = migrations.slice(migrations.indexOf(schemaCompatibility) + 1);
  const silent = since.filter(({ sql, oldest }) => /\b(?:DROP (?:TABLE|COLUMN)|RENAME)\b/i.test(sql) && !oldest);
  expect(silent.map(({ name }) => name)).toEqual([]);
  const named = since.flatMap(({ oldest }) => (oldest ? [migrations.indexOf(oldest)] : []));
  expect(named, 'each is listed, and what one contraction excluded stays excluded').toEqual(
    named.filter((at) => at >= 0).toSorted((one, other) => one - other),
  );
});

test('a migration gives way to current and later users of its table, and runs when the table is free', async () => {
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
    // This would wait too, if the migration waited without end.
    await database.transaction((later) => later.query(write, []));
    return { migrating };
  });
  expect(await migrated.migrating).toEqual([again]);
});
