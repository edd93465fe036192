import { statement } from '@relata/db';
import { expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
const asOwner = () => ({ DATABASE_MIGRATION_URL: cli.ownerUrl() });

async function stateOf(name: string): Promise<string> {
  const rows: { name: string; state: string; size: number }[] = await cli.json('indexes', 'list');
  return rows.find((row) => row.name === name)!.state;
}

test('list shows every index with its state and size', async () => {
  const rows = await cli.json('indexes', 'list');
  expect(rows).toContainEqual({ name: 'contacts.words', state: 'ready', size: expect.any(Number) });
  expect(rows).toContainEqual({ name: 'accounts.updated_at', state: 'missing', size: 0 });
  expect((await cli.run(['indexes', 'list'])).stdout).toMatch(/^contacts\.words +ready +\d+ KB$/m);
});

test('create builds one index or all missing ones, and drop removes one', async () => {
  const created = await cli.run(['indexes', 'create', 'accounts.updated_at'], asOwner());
  expect(created.stdout).toMatch(
    /^Building accounts.updated_at\nBuilt accounts.updated_at in .* s\nBuilt accounts.updated_at\.\n$/,
  );
  expect(await stateOf('accounts.updated_at')).toBe('ready');
  await cli.run(['indexes', 'drop', 'accounts.updated_at'], asOwner());
  expect((await cli.run(['indexes', 'drop', 'users.email'], asOwner())).stdout).toContain('--no-indexes');
  expect(await stateOf('users.email')).toBe('missing');
  const { stdout } = await cli.run(['indexes', 'create', '--json'], asOwner());
  expect(JSON.parse(stdout)).toEqual({ built: ['users.email'] });
  expect(await stateOf('accounts.updated_at')).toBe('missing');
});

test('migrate builds missing indexes, but none with --no-indexes', async () => {
  await cli.run(['indexes', 'drop', 'users.email'], asOwner());
  await cli.run(['migrate', '--no-indexes'], asOwner());
  expect(await stateOf('users.email')).toBe('missing');
  const { stdout } = await cli.run(['migrate', '--json'], asOwner());
  expect(JSON.parse(stdout)).toEqual({ migrated: [], newer: [], indexes: ['users.email'], rights: [] });
});

test('the role of the apps may list indexes, and cannot build them', async () => {
  await cli.run(['indexes', 'drop', 'users.email'], asOwner());
  expect(await cli.fault('indexes', 'create')).toMatchObject({
    error: 'configuration_error',
    message: expect.stringContaining('DATABASE_MIGRATION_URL'),
  });
  // The release is usable without the index, so the migration succeeds.
  const migrated = await cli.run(['migrate', '--json']);
  expect({ code: migrated.code, stderr: migrated.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('users.email'),
  });
  await cli.run(['indexes', 'create'], asOwner());
});

test('an index that cannot be built fails the command, which names it', async () => {
  await cli.run(['indexes', 'drop', 'users.email'], asOwner());
  await cli.owner().query(statement('', 'CREATE VIEW users_by_email AS SELECT'), []);
  const failed = await cli.run(['indexes', 'create'], asOwner());
  expect({ code: failed.code, stderr: failed.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('Could not build users.email'),
  });
  await cli.owner().query(statement('', 'DROP VIEW users_by_email'), []);
});
