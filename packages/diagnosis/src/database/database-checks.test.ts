import { openDatabase, statement } from '@relata/db';
import { startOwnPostgres, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { setUpDiagnosis } from '../diagnosis.harness.ts';
import { checkVersion } from './server.ts';

const diagnosis = setUpDiagnosis();

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const roleOf = (url: string) => decodeURIComponent(new URL(url).username);

test('a server before version 15 is a fault', () => {
  expect(checkVersion({ version: 140_013, version_text: '14.13' })).toMatchObject({ level: 'fault' });
  expect(checkVersion({ version: 150_000, version_text: '15.0' })).toMatchObject({ level: 'ok' });
});

test('a server without TLS is a fault if the URL requires TLS, and the advice is about TLS', async () => {
  const database = diagnosis.open(`${diagnosis.url()}?sslmode=verify-full`);
  expect(await diagnosis.find('database', { database })).toMatchObject({
    level: 'fault',
    found: 'PostgreSQL cannot be used: The server does not support SSL connections.',
    advice: expect.stringContaining('sslrootcert'),
  });
});

test('a role without a free connection is a fault, and the advice is about connections', async () => {
  const url = new URL(diagnosis.url());
  url.username = `${nameOf(diagnosis.url())}_full`;
  url.password = 'full';
  await diagnosis.sql(`CREATE ROLE ${url.username} LOGIN PASSWORD 'full' CONNECTION LIMIT 0`);
  diagnosis.stack().defer(async () => void (await diagnosis.sql(`DROP ROLE ${url.username}`)));
  expect(await diagnosis.find('database', { database: diagnosis.open(url.href) })).toMatchObject({
    level: 'fault',
    found: expect.stringContaining('too many connections'),
    advice: expect.stringContaining('DATABASE_POOL_MAX'),
  });
});

test('a server that does not sync to disk is a fault', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await startOwnPostgres(stack);
  const found = async () => {
    await using database = openDatabase({ url, name: 'diagnosis' });
    return await diagnosis.find('durability', { database });
  };
  const alter = async (text: string) => {
    await using database = openDatabase({ url, name: 'diagnosis-alter' });
    await database.query(statement('', text), []);
    await database.query(statement('', 'SELECT pg_reload_conf()'), []);
  };
  expect(await found()).toMatchObject({ level: 'ok' });
  await alter(`ALTER DATABASE ${nameOf(url)} SET synchronous_commit = off`);
  expect(await found()).toMatchObject({ level: 'fault', advice: expect.stringContaining('synchronous_commit') });
  await alter('ALTER SYSTEM SET fsync = off');
  await until(async () =>
    expect(await found()).toMatchObject({ level: 'fault', advice: expect.stringContaining('fsync') }),
  );
});

test('a locale for English letters only is a warning, and an encoding other than UTF-8 is a fault', async () => {
  const made = async (name: string, options: string) => {
    // Another test may be copying the same template.
    await until(() =>
      diagnosis.sql(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C' ${options}`),
    );
    diagnosis.stack().defer(async () => void (await diagnosis.sql(`DROP DATABASE ${name} WITH (FORCE)`)));
    const url = new URL(diagnosis.url());
    url.pathname = name;
    return await diagnosis.find('locale', { database: diagnosis.open(url.href) });
  };
  expect(await diagnosis.find('locale')).toMatchObject({ level: 'ok' });
  const name = nameOf(diagnosis.url());
  expect(await made(`${name}_c`, '')).toMatchObject({
    level: 'warning',
    found: expect.stringContaining('only English letters'),
  });
  expect(await made(`${name}_latin`, "ENCODING 'LATIN1'")).toMatchObject({
    level: 'fault',
    found: expect.stringContaining('LATIN1'),
  });
});

test('a superuser is a warning, and so is a role that owns tables', async () => {
  expect(await diagnosis.find('role', { database: diagnosis.owner() })).toMatchObject({
    level: 'warning',
    found: expect.stringContaining('superuser'),
  });
  await diagnosis.sql(`ALTER TABLE demo_requests OWNER TO ${roleOf(diagnosis.url())}`);
  expect(await diagnosis.find('role')).toMatchObject({ level: 'warning', found: expect.stringContaining('1 table.') });
});

test('too few free connections are a fault that names the tightest limit', async () => {
  await diagnosis.sql(`ALTER DATABASE ${nameOf(diagnosis.url())} CONNECTION LIMIT 4`);
  expect(await diagnosis.find('connections')).toMatchObject({
    level: 'fault',
    found: expect.stringMatching(/of 4 connections of the database/),
  });
});

test('a schema of a newer release is ok if this release runs on it, otherwise a fault that names the migrations (found D2)', async () => {
  await diagnosis.sql("INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('999-later', 9, now())");
  expect(await diagnosis.find('schema')).toEqual({
    check: 'schema',
    level: 'ok',
    found: 'The database is newer than this release: it also has 999-later. This release runs on it.',
    advice: null,
  });
  await diagnosis.sql("UPDATE schema_compatibility SET oldest = '999-later'");
  expect(await diagnosis.find('schema')).toMatchObject({
    level: 'fault',
    found: expect.stringContaining('Only releases that include migration 999-later run on it.'),
    advice: 'Run the newer release.',
  });
});

test('a schema of an older release is a fault that names the missing migrations', async () => {
  await diagnosis.sql("DELETE FROM schema_migrations WHERE name = '016-signed-triggers'");
  expect(await diagnosis.find('schema')).toMatchObject({
    level: 'fault',
    found: 'The database is older than this release: it lacks 016-signed-triggers.',
    advice: 'Run: relata migrate',
  });
});

test('rights that the role lacks are a fault that names them', async () => {
  await diagnosis.sql(`REVOKE INSERT, DELETE ON accounts FROM ${roleOf(diagnosis.url())}`);
  await diagnosis.sql(`REVOKE USAGE ON SEQUENCE event_seq FROM ${roleOf(diagnosis.url())}`);
  await diagnosis.sql(`REVOKE EXECUTE ON FUNCTION analyze_table FROM ${roleOf(diagnosis.url())}`);
  // The check ignores objects of extensions.
  await diagnosis.sql('CREATE EXTENSION citext');
  await diagnosis.sql(`CREATE FUNCTION of_extension() RETURNS int LANGUAGE sql RETURN 1`);
  await diagnosis.sql(`REVOKE EXECUTE ON FUNCTION of_extension FROM PUBLIC, ${roleOf(diagnosis.url())}`);
  await diagnosis.sql('ALTER EXTENSION citext ADD FUNCTION of_extension()');
  expect(await diagnosis.find('permissions')).toMatchObject({
    level: 'fault',
    found: 'The role lacks permissions: accounts (DELETE, INSERT), analyze_table() (EXECUTE), event_seq (USAGE).',
  });
});

/**
 * Returns a statement whose written rows count in the statistics immediately. Otherwise they would count only after the
 * connection has been idle for 10 s.
 */
const counted = (write: string) =>
  `WITH written AS (${write} RETURNING 1) SELECT pg_stat_force_next_flush(), count(*) FROM written`;

test('a table of 1,500 rows is a warning until it has been analyzed', async () => {
  await diagnosis.sql('ALTER TABLE organizations SET (autovacuum_enabled = off)');
  await diagnosis.sql(
    counted("INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'o' || n FROM generate_series(1, 1500) n"),
  );
  await until(async () =>
    expect(await diagnosis.find('statistics')).toMatchObject({
      level: 'warning',
      found: 'Never analyzed: organizations (1500 rows).',
    }),
  );
  await diagnosis.sql('ANALYZE organizations');
  await until(async () => expect(await diagnosis.find('statistics')).toMatchObject({ level: 'ok' }));
});

test('dead rows that are not vacuumed are a warning', async () => {
  await diagnosis.sql('CREATE TABLE much_deleted (n integer) WITH (autovacuum_enabled = off)');
  await diagnosis.sql('INSERT INTO much_deleted SELECT generate_series(1, 110000)');
  await diagnosis.sql(counted('DELETE FROM much_deleted'));
  await until(async () =>
    expect(await diagnosis.find('dead-rows')).toMatchObject({
      level: 'warning',
      found: expect.stringContaining('much_deleted (110000 dead, 0 live)'),
    }),
  );
});

test('clocks that differ are a warning, and from a difference of 30 s a fault', async () => {
  const apartBy = (ms: number) => diagnosis.find('clocks', { now: () => Date.now() + ms });
  expect(await apartBy(5_000)).toMatchObject({
    level: 'warning',
    found: expect.stringMatching(/differ by [45]\.\d s/),
  });
  expect(await apartBy(-40_000)).toMatchObject({ level: 'fault' });
});

test('an index of lists that is missing or was not completed is a warning', async () => {
  expect(await diagnosis.find('indexes')).toMatchObject({ level: 'ok' });
  await diagnosis.sql('DROP INDEX contacts_by_last_name');
  await diagnosis.sql(`CREATE INDEX accounts_by_updated_at ON accounts (org_id, updated_at, id)`);
  for (const index of ['accounts_by_search', 'accounts_by_updated_at'])
    await diagnosis.sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`);
  expect(await diagnosis.find('indexes')).toEqual({
    check: 'indexes',
    level: 'warning',
    found:
      'Missing: contacts.last_name. Invalid: accounts.updated_at, accounts.words. Lists refuse the sorts and filters that need them.',
    advice: 'Run: relata indexes create',
  });
});

test('an invalid index of a migration is a warning', async () => {
  await diagnosis.sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'contacts_email'::regclass`);
  expect(await diagnosis.find('indexes')).toMatchObject({
    level: 'warning',
    found: 'Other invalid indexes, which PostgreSQL does not use: contacts_email.',
    advice: 'Run as the owner of the tables: REINDEX INDEX CONCURRENTLY contacts_email',
  });
  // A failed REINDEX leaves this copy. A REINDEX of the copy would turn it into a second valid index.
  await diagnosis.sql('CREATE INDEX contacts_email_ccnew ON contacts (email)');
  await diagnosis.sql(
    `UPDATE pg_index SET indisvalid = indexrelid <> 'contacts_email_ccnew'::regclass
     WHERE indexrelid IN ('contacts_email'::regclass, 'contacts_email_ccnew'::regclass)`,
  );
  expect(await diagnosis.find('indexes')).toMatchObject({
    advice: 'Run as the owner of the tables: DROP INDEX CONCURRENTLY contacts_email_ccnew',
  });
});
