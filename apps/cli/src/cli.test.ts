import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { findSuiteBundle } from '@relata/bundle';
import { statement } from '@relata/db';
import { expect, test } from 'vitest';
import { relata, setUpCli } from './cli.harness.ts';

const cli = setUpCli();

const sql = (text: string) => cli.owner().query(statement('', text), []);

test('--json prints one document and nothing else', async () => {
  const { stdout, stderr } = await cli.run(['orgs', 'create', 'Acme', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Acme', id: expect.any(String) });
  expect(stderr).toBe('');
});

test('without --json a record, a table and an empty list are text', async () => {
  const { stdout: record } = await cli.run(['orgs', 'create', 'Globex']);
  const id = /^id +(\S+)$/m.exec(record)![1]!;
  const { stdout: table } = await cli.run(['orgs', 'list']);
  expect(table).toMatch(/^ID +NAME +CREATED_AT\n/);
  expect(table).toMatch(new RegExp(`^${id} +Globex +\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`, 'm'));
  expect((await cli.run(['users', 'list', '--org', id])).stdout).toBe('There are none.\n');
});

test('control characters in names are escaped in text output', async () => {
  const { stdout } = await cli.run(['orgs', 'create', 'a\u001b[31m\nb']);
  expect(stdout).toContain('a\\u{1b}[31m\\nb');
});

test('an error is one line for people and one document for programs', async () => {
  const { code, stdout, stderr } = await cli.run(['runs', 'show', 'x']);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: 'relata: RUN "x": Must be a UUID.\n' });
  expect(await cli.fault('runs', 'show', 'x')).toEqual({
    code: 2,
    error: 'validation_error',
    message: 'RUN "x": Must be a UUID.',
  });
});

test.each([
  ['an unknown noun', ['kyes', 'list'], 'keys'],
  ['an unknown command', ['keys', 'creat', '--org', 'x'], 'create'],
  ['an unknown option', ['keys', 'list', '--orgg', 'x'], '--org'],
])('%s gets the nearest name as a suggestion', async (_what, args, near) => {
  const { code, stderr } = await cli.run(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^relata: unknown .*\n$/);
  expect(stderr).toContain(`Did you mean ${near}?`);
});

test('with --json, the error for wrong usage is one document, too', async () => {
  for (const args of [['kyes'], ['keys'], [], ['orgs', 'create', 'a', 'b'], ['users', 'list', '--org']])
    expect(await cli.fault(...args)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/usage_error|validation_error/),
    });
});

test('help shows examples and needs no database', async () => {
  for (const args of [['--help'], ['keys', '--help'], ['keys', 'create', '--help'], ['help', 'keys']]) {
    const { code, stdout } = await relata(args);
    expect(code).toBe(0);
    expect(stdout).toContain('relata keys create --org ORG_ID --scope records:read');
  }
});

test('migrate fills an empty database and lists the migrations it ran', async () => {
  await sql('DROP SCHEMA public CASCADE');
  await sql('CREATE SCHEMA public');
  expect(await cli.fault('orgs', 'create', 'Early')).toMatchObject({
    code: 1,
    error: 'schema_version_error',
    message: expect.stringMatching(/it lacks 001-organizations.*Run: relata migrate$/),
  });
  const asOwner = { DATABASE_MIGRATION_URL: cli.ownerUrl() };
  const { code, stdout } = await cli.run(['migrate', '--json'], asOwner);
  expect({ code, migrated: JSON.parse(stdout).migrated[0] }).toEqual({ code: 0, migrated: '001-organizations' });
  expect(JSON.parse(stdout).indexes).toContain('contacts.words');
  expect((await cli.run(['migrate'], asOwner)).stdout).toContain('up to date');
  // The role of the apps may not run migrations. The command succeeds because nothing is missing.
  expect(await cli.json('migrate')).toEqual({ migrated: [], newer: [], indexes: [], rights: [] });
  await sql("DELETE FROM schema_migrations WHERE name = '001-organizations'");
  expect(await cli.fault('migrate')).toMatchObject({
    error: 'configuration_error',
    message: expect.stringMatching(/permission denied.*DATABASE_MIGRATION_URL/),
  });
  await sql("INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('001-organizations', 1, now())");
  expect(await cli.json('orgs', 'list')).toEqual([]);
});

test('migrate says which rights it granted and revoked', async () => {
  const asOwner = { DATABASE_MIGRATION_URL: cli.ownerUrl() };
  const role = decodeURIComponent(new URL(cli.url()).username);
  await sql(`REVOKE SELECT, DELETE ON contacts FROM "${role}"`);
  await sql(`GRANT TRUNCATE ON accounts TO "${role}"`);
  const { stdout } = await cli.run(['migrate', '--json'], asOwner);
  expect(JSON.parse(stdout).rights).toEqual([
    `granted DELETE/SELECT on table contacts to ${role}`,
    `revoked TRUNCATE on table accounts from ${role}`,
  ]);
  await sql(`REVOKE SELECT ON contacts FROM "${role}"`);
  expect((await cli.run(['migrate'], asOwner)).stdout).not.toContain('up to date');
  expect((await cli.run(['migrate'], asOwner)).stdout).toContain('up to date');
});

test('migrate needs both DATABASE_MIGRATION_URL and DATABASE_URL, and a role that exists or can be created', async () => {
  const env = { DATABASE_MIGRATION_URL: cli.ownerUrl(), DATABASE_URL: '' };
  expect(await relata(['migrate'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL'),
  });
  const { code, stderr } = await cli.run(['migrate', '--json'], {
    ...env,
    DATABASE_APP_ROLE: 'nobody_yet',
    DATABASE_URL: cli.url(),
  });
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({
    code: 1,
    error: 'configuration_error',
    message: expect.stringContaining('no role "nobody_yet"'),
  });
});

test('commands run on a newer database that allows this release, and migrate says that nothing changed (found D2)', async () => {
  await sql("INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('999-later', 9, now())");
  expect(await cli.json('orgs', 'list')).toEqual([]);
  expect(await cli.json('migrate')).toEqual({ migrated: [], newer: ['999-later'], indexes: [], rights: [] });
  expect((await cli.run(['migrate'])).stdout).toContain('This release runs on it; nothing changed.');
  await sql("DELETE FROM schema_migrations WHERE name = '999-later'");
});

test('a newer database that this release does not run on is neither changed nor migrated', async () => {
  await sql("INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('999-later', 9, now())");
  await sql("UPDATE schema_compatibility SET oldest = '999-later'");
  for (const args of [['orgs', 'create', 'Late'], ['migrate']])
    expect(await cli.fault(...args)).toMatchObject({
      code: 1,
      error: 'schema_version_error',
      message: expect.stringContaining('Only releases that include migration 999-later run on it.'),
    });
  await sql("UPDATE schema_compatibility SET oldest = '033-schema-compatibility'");
  await sql("DELETE FROM schema_migrations WHERE name = '999-later'");
  expect(await cli.json('orgs', 'list')).toEqual([]);
});

test('the error for an unavailable or refusing database does not show the password', async () => {
  const wrong = new URL(cli.url());
  wrong.pathname = '/nowhere';
  for (const url of ['postgres://relata:hush@127.0.0.1:1/relata', wrong.href])
    for (const command of [['orgs', 'list'], ['migrate']]) {
      const { code, stdout, stderr } = await relata([...command, '--json'], { env: { DATABASE_URL: url } });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({
        error: 'service_unavailable',
        message: expect.stringContaining(new URL(url).host),
      });
      expect(stderr).not.toContain(new URL(url).password);
    }
});

test('the local stack is found from a subfolder; without a stack, the error explains how to configure a database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-cli-'));
  const below = join(folder, 'a/b');
  await mkdir(join(folder, '.local'));
  await mkdir(below, { recursive: true });
  const file = join(folder, '.local/stack.json');
  await writeFile(file, JSON.stringify({ postgres: { url: cli.url() }, nats: { url: 'nats://127.0.0.1:1' } }));
  expect(await relata(['orgs', 'list', '--json'], { cwd: below })).toMatchObject({ code: 0, stdout: '[]\n' });
  await writeFile(file, '{');
  expect((await relata(['orgs', 'list'], { cwd: below })).stderr).toContain('cannot be read');
  await rm(folder, { recursive: true });
  const { code, stderr } = await relata(['orgs', 'list'], { env: { DATABASE_URL: 'mysql://x:hush@y/z' } });
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('postgres://') });
  expect(stderr).not.toContain('hush');
});

test('a program that reads the output slowly gets all of it', async () => {
  await sql(
    "INSERT INTO organizations (id, name) SELECT gen_random_uuid(), repeat('y', 200) FROM generate_series(1, 5000)",
  );
  const env = { ...process.env, DATABASE_URL: cli.url() };
  const child = spawn(process.execPath, [await findSuiteBundle('cli'), 'orgs', 'list', '--json'], { env });
  const exited = once(child, 'exit');
  await once(child.stdout, 'readable');
  // An earlier version ended one second after its work, even if its output had not been read completely.
  await Promise.race([exited, pause(2_500)]);
  const printed = await text(child.stdout);
  expect(await exited).toEqual([0, null]);
  expect((JSON.parse(printed) as unknown[]).length).toBeGreaterThanOrEqual(5_000);
});

test('a program that closes the pipe early causes no error', async () => {
  await sql(
    "INSERT INTO organizations (id, name) SELECT gen_random_uuid(), repeat('x', 200) FROM generate_series(1, 5000)",
  );
  const env = { ...process.env, DATABASE_URL: cli.url() };
  const child = spawn(process.execPath, [await findSuiteBundle('cli'), 'orgs', 'list', '--json'], { env });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = await once(child, 'close');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('closing the standard error of a command causes no error after a change', async () => {
  const { id: org } = await cli.json('orgs', 'create', 'Acme');
  const { id } = await cli.json('keys', 'create', '--org', org, '--scope', 'webhook');
  // Without NATS, the tool warns that the services were not notified.
  const env = { ...process.env, DATABASE_URL: cli.url(), NATS_URL: 'nats://127.0.0.1:1' };
  const child = spawn(process.execPath, [await findSuiteBundle('cli'), 'keys', 'revoke', id, '--json'], { env });
  child.stderr.destroy();
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect({ code, revoked: JSON.parse(printed).id }).toEqual({ code: 0, revoked: id });
});
