import { openDatabase } from '../connections/database.ts';
import { inject, expect, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../testing/src/database-admin.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations } from '../migrations/index.ts';
import { checkSchema, SchemaVersionError } from './schema-version.ts';
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
  await expect(checkSchema(database)).resolves.toBeUndefined();
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

test('rejects a newer database', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = await emptyDatabase(stack);
  await migrateDatabase({ url });
  await database.query(statement('', `INSERT INTO schema_migrations (name, batch) VALUES ('999-future', 9)`), []);
  await expect(checkSchema(database)).rejects.toThrow('it also has 999-future');
  await expect(migrateDatabase({ url })).rejects.toThrow('it also has 999-future');
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
