import { expect, test } from 'vitest';
import { migrationTarget } from './migration-target.ts';

const databaseUrl = 'postgres://app:p%40ss@db/relata';
const migrationUrl = 'postgres://owner:hush@db/relata';

test('without an owner or a named role, the migration uses the role of the apps and grants nothing', () => {
  expect(migrationTarget({ databaseUrl })).toEqual({ url: databaseUrl });
  expect(migrationTarget({ databaseUrl, migrationUrl: databaseUrl })).toEqual({ url: databaseUrl });
});

test('with an owner, the role of the apps is the user of their database URL', () => {
  const appRole = { name: 'app', password: 'p@ss' };
  expect(migrationTarget({ databaseUrl, migrationUrl })).toEqual({ url: migrationUrl, appRole });
  expect(migrationTarget({ databaseUrl: 'postgres://db/relata', migrationUrl })).toEqual({ url: migrationUrl });
});

test('a role given by name gets its grants, and no password', () => {
  expect(migrationTarget({ databaseUrl: migrationUrl, appRole: 'app' })).toEqual({
    url: migrationUrl,
    appRole: { name: 'app' },
  });
  expect(migrationTarget({ databaseUrl: migrationUrl, appRole: 'owner' })).toEqual({ url: migrationUrl });
});
