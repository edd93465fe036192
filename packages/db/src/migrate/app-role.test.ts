import { randomBytes } from 'node:crypto';
import { createTestDatabase, until } from '@relata/testing';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../testing/src/database-admin.ts';
import { AppRoleError } from './app-role.ts';
import { openDatabase } from '../connections/database.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations } from '../migrations/index.ts';
import { checkSchema } from './schema-version.ts';
import { analyzeGrownTables } from '../statistics.ts';
import { statement } from '../statement.ts';

type Options = Parameters<typeof migrateDatabase>[0];

const ask = (url: string, sql: string, values: unknown[] = []) => askEach(url, [sql], values);

async function askEach(url: string, commands: string[], values: unknown[] = []) {
  await using database = openDatabase({ url, name: 'test', poolMax: 1 });
  let rows: Record<string, unknown>[] = [];
  for (const sql of commands) rows = await database.query(statement<Record<string, unknown>>('', sql), values);
  return rows;
}

/** Creates an empty database, and roles that are dropped at the end. */
async function emptyDatabase(stack: AsyncDisposableStack) {
  const suffix = randomBytes(6).toString('hex');
  const server = inject('postgresUrl');
  const name = `relata_roles_${suffix}`;
  const url = await createDatabase(server, name);
  const roles = { owner: `owner_${suffix}`, app: `app "x".y ${suffix}` };
  stack.defer(async () => {
    await dropDatabase(server, name);
    for (const role of Object.values(roles)) await ask(server, `DROP ROLE IF EXISTS ${quoted(role)}`);
  });
  return { name, url, roles };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function as(url: string, user: string, password: string): string {
  const address = new URL(url);
  Object.assign(address, { username: encodeURIComponent(user), password: encodeURIComponent(password) });
  return address.href;
}

/** Creates a database as operators do: one role owns it, and another is for the apps. */
async function ownedDatabase(stack: AsyncDisposableStack, more: Partial<Options> = {}) {
  const { name, url, roles } = await emptyDatabase(stack);
  await ask(url, `CREATE ROLE ${quoted(roles.owner)} LOGIN PASSWORD 'owner'`);
  await ask(url, `CREATE ROLE ${quoted(roles.app)} LOGIN PASSWORD 'app'`);
  await ask(url, `ALTER DATABASE ${name} OWNER TO ${quoted(roles.owner)}`);
  const owner = as(url, roles.owner, 'owner');
  await migrateDatabase({ url: owner, appRole: { name: roles.app }, ...more });
  return { owner, app: as(url, roles.app, 'app'), roles };
}

describe('the role of the apps, after a migration by an owner that is not a superuser', () => {
  let owner: string;
  let app: string;
  beforeAll(async () => {
    const stack = new AsyncDisposableStack();
    ({ owner, app } = await ownedDatabase(stack));
    return () => stack.disposeAsync();
  });

  test('the role of the apps can read, write and delete rows, and runs their triggers', async () => {
    const [row] = await ask(
      app,
      `WITH org AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'x') RETURNING id)
       SELECT id FROM org`,
    );
    await ask(
      app,
      `INSERT INTO contacts (org_id, id, first_name, last_name) VALUES ($1, gen_random_uuid(), 'a', 'b')`,
      [row!['id']],
    );
    expect(await ask(app, 'SELECT n FROM record_counts WHERE org_id = $1', [row!['id']])).toEqual([{ n: 1 }]);
    await ask(app, 'UPDATE contacts SET first_name = $1', ['c']);
    await ask(app, 'DELETE FROM contacts');
    expect(await ask(app, 'SELECT FROM contacts')).toEqual([]);
  });

  test('the role of the apps can check that the schema belongs to this release', async () => {
    await using database = openDatabase({ url: app, name: 'test' });
    expect(await checkSchema(database)).toEqual([]);
  });

  test.each([
    'CREATE TABLE mine (n integer)',
    'CREATE TEMP TABLE mine (n integer)',
    'CREATE SCHEMA mine',
    'CREATE FUNCTION mine() RETURNS integer LANGUAGE sql RETURN 1',
    'CREATE ROLE mine',
    'CREATE DATABASE mine',
    'DROP TABLE contacts',
    'TRUNCATE contacts',
    'ALTER TABLE contacts DISABLE TRIGGER ALL',
    'ALTER FUNCTION keep_positions() RENAME TO mine',
    'SELECT rolpassword FROM pg_authid',
    "SELECT pg_read_file('PG_VERSION')",
    "COPY contacts TO PROGRAM 'cat'",
    "INSERT INTO schema_migrations (name, batch) VALUES ('mine', 1)",
    'SET session_replication_role = replica',
  ])('the role of the apps must not: %s', async (sql) => {
    await expect(ask(app, sql)).rejects.toMatchObject({ code: expect.stringMatching(/^42501$/) });
  });

  test('the role of the apps can start a migration if none is pending', async () => {
    expect(await migrateDatabase({ url: app })).toEqual([]);
  });

  test('the role of the apps gets access to tables of later migrations', async () => {
    await ask(owner, 'CREATE TABLE later (id bigserial PRIMARY KEY, name text)');
    expect(await ask(app, `INSERT INTO later (name) VALUES ('x') RETURNING id`)).toEqual([{ id: 1 }]);
  });
});

/** Grows a table and disables its autovacuum, which might analyze the table before the worker does. */
async function growOrganizations(owner: string) {
  await ask(owner, 'ALTER TABLE organizations SET (autovacuum_enabled = false)');
  await ask(owner, `INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'x' FROM generate_series(1, 1000)`);
}

test('the worker can have a table analyzed that its role does not own', async () => {
  await using stack = new AsyncDisposableStack();
  const { owner, app } = await ownedDatabase(stack);
  const database = stack.use(openDatabase({ url: app, name: 'test' }));
  await growOrganizations(owner);
  stack.use(analyzeGrownTables(database, silentLog([])));
  const analyzed = `SELECT last_analyze FROM pg_stat_user_tables WHERE relname = 'organizations'`;
  await until(async () => expect(await ask(app, analyzed)).not.toEqual([{ last_analyze: null }]));
});

test('a role that cannot have tables analyzed reports it once, and stops trying', async () => {
  await using stack = new AsyncDisposableStack();
  const { owner, app, roles } = await ownedDatabase(stack);
  await ask(owner, `REVOKE ALL ON FUNCTION analyze_table FROM ${quoted(roles.app)}`);
  await growOrganizations(owner);
  const lines: string[] = [];
  stack.use(analyzeGrownTables(stack.use(openDatabase({ url: app, name: 'test' })), silentLog(lines)));
  await until(() => expect(lines).toEqual([expect.stringContaining('may not analyze tables')]));
});

test('analyze_table cannot reach a table of another schema', async () => {
  await using stack = new AsyncDisposableStack();
  const { owner, app } = await ownedDatabase(stack);
  await ask(owner, 'CREATE SCHEMA other');
  await ask(owner, 'CREATE TABLE other.hidden (n integer)');
  for (const name of ['hidden', 'other.hidden', 'contacts; DROP TABLE contacts'])
    await expect(ask(app, 'SELECT analyze_table($1)', [name])).rejects.toMatchObject({ code: '42P01' });
});

test('a missing role is created with its password if permitted, and not changed afterwards', async () => {
  await using stack = new AsyncDisposableStack();
  const { url, roles } = await emptyDatabase(stack);
  const asApp = (password: string) => ask(as(url, roles.app, password), 'SELECT current_user AS name');
  await migrateDatabase({ url, appRole: { name: roles.app, password: "it's" } });
  expect(await asApp("it's")).toEqual([{ name: roles.app }]);
  await migrateDatabase({ url, appRole: { name: roles.app, password: 'other' } });
  expect(await asApp("it's")).toHaveLength(1);
  await migrateDatabase({ url, appRole: { name: roles.app, password: 'other', setsPassword: true } });
  expect(await asApp('other')).toHaveLength(1);
  await expect(asApp("it's")).rejects.toMatchObject({ code: '28P01' });
});

test('a role that neither exists nor can be created stops the migration before it begins', async () => {
  await using stack = new AsyncDisposableStack();
  const { name, url, roles } = await emptyDatabase(stack);
  await ask(url, `CREATE ROLE ${quoted(roles.owner)} LOGIN PASSWORD 'owner'`);
  await ask(url, `ALTER DATABASE ${name} OWNER TO ${quoted(roles.owner)}`);
  const owner = as(url, roles.owner, 'owner');
  const refused = migrateDatabase({ url: owner, appRole: { name: roles.app, password: 'secret-word' } });
  await expect(refused).rejects.toThrow(AppRoleError);
  await expect(refused).rejects.toThrow(expect.not.stringContaining('secret-word'));
  expect(await ask(owner, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

test('a single role for migrations and apps still works', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await emptyDatabase(stack);
  const own = decodeURIComponent(new URL(url).username);
  expect(await migrateDatabase({ url, appRole: { name: own } })).toHaveLength(migrations.length);
  await ask(url, 'ALTER TABLE contacts ADD COLUMN mine text');
});

test('a migration revokes the right of every role to execute functions as their owner, which a restore may grant', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await emptyDatabase(stack);
  const everyone = `SELECT has_function_privilege('public', 'analyze_table(text)', 'EXECUTE') AS executes`;
  await migrateDatabase({ url });
  await ask(url, 'GRANT EXECUTE ON FUNCTION analyze_table TO PUBLIC');
  expect(await ask(url, everyone)).toEqual([{ executes: true }]);
  await migrateDatabase({ url });
  expect(await ask(url, everyone)).toEqual([{ executes: false }]);
});

test('the tests of every app use the restricted role', async () => {
  await using db = await createTestDatabase();
  const [row] = await ask(
    db.url,
    `SELECT rolsuper OR rolcreaterole OR rolcreatedb AS powerful,
    has_schema_privilege('public', 'CREATE') AS creates FROM pg_roles WHERE rolname = current_user`,
  );
  expect(row).toEqual({ powerful: false, creates: false });
});

function silentLog(lines: string[]) {
  const note = (...said: unknown[]) => void lines.push(String(said.at(-1)));
  return { debug: note, warn: note } as never;
}
