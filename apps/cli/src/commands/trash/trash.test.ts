import { recordsOperations } from '@relata/schemas';
import { freshPath, insertExamples, type ExampleIds } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let org: string;
let ids: ExampleIds;

beforeAll(async () => {
  org = (await cli.json('orgs', 'create', 'Acme')).id;
  ids = await insertExamples(cli.database(), org);
});

test('a record is deleted, listed in the trash, shown and restored', async () => {
  const deleted = await cli.json('records', 'delete', 'contact', ids.contact, '--org', org);
  expect(deleted).toMatchObject({ id: ids.contact, unlinked: { opportunities: 0, activities: 0 } });
  const [entry] = await cli.json('trash', 'list', '--org', org, '--resource', 'contact');
  expect(entry).toMatchObject({
    id: ids.contact,
    name: expect.stringMatching(/\w/),
    deletion_id: deleted.deletion_id,
    purge_at: deleted.purge_at,
  });
  expect(await cli.json('trash', 'show', ids.contact, '--org', org)).toEqual(entry);
  expect(await cli.json('records', 'restore', ids.contact, '--org', org)).toMatchObject({
    id: ids.contact,
    dropped: [],
  });
  expect(await cli.json('trash', 'list', '--org', org)).toEqual([]);
});

test('an account with opportunities needs --cascade, and both come back', async () => {
  const refused = await cli.fault('records', 'delete', 'account', ids.account, '--org', org);
  expect(refused).toMatchObject({ code: 1, message: expect.stringContaining('--cascade') });
  const deleted = await cli.json('records', 'delete', 'account', ids.account, '--org', org, '--cascade');
  expect(deleted.deleted).toEqual({ opportunities: 1 });
  expect(await cli.json('trash', 'list', '--org', org, '--deletion', deleted.deletion_id)).toHaveLength(2);
  const restored = await cli.json('records', 'restore', ids.account, '--org', org);
  expect(restored.restored).toEqual({ opportunities: 1 });
});

test('an error about a missing record names it', async () => {
  for (const args of [
    ['records', 'delete', 'account', ids.contact],
    ['records', 'restore', ids.contact],
    ['trash', 'show', ids.contact],
  ])
    expect(await cli.fault(...args, '--org', org)).toMatchObject({ code: 3 });
});

test('records are merged, and a restore undoes it', async () => {
  const path = await freshPath(cli.database(), org, recordsOperations.deleteContact, ids);
  const loser = path.split('/').at(-1)!;
  const args = ['records', 'merge', 'contact', ids.contact, loser, '--org', org];
  expect(await cli.json(...args)).toMatchObject({ id: ids.contact, moved: { opportunities: 0 } });
  const entry = await cli.json('trash', 'show', loser, '--org', org);
  expect(entry).toMatchObject({ merged_into: ids.contact });
  expect(await cli.fault('records', 'merge', 'contact', ids.contact, ids.contact, '--org', org)).toMatchObject({
    code: 2,
  });
  expect(await cli.json('records', 'restore', loser, '--org', org)).toMatchObject({ id: loser });
});

test('duplicates are found, page by page', async () => {
  for (let i = 0; i < 2; i++) {
    await freshPath(cli.database(), org, recordsOperations.deleteContact, ids);
    await freshPath(cli.database(), org, recordsOperations.deleteAccount, ids);
  }
  const args = ['records', 'duplicates', 'contact', '--by', 'email', '--org', org];
  const [group] = await cli.json(...args);
  expect(group).toMatchObject({ value: 'ada@robotics.example', ids: expect.arrayContaining([ids.contact]) });
  const { stdout } = await cli.run([...args, '--limit', '1']);
  expect(stdout).toMatch(new RegExp(`^ada@robotics\\.example: \\d records\n(  [0-9a-f-]{36}\n)*  ${ids.contact}\n`));
  const wrong = ['records', 'duplicates', 'account', '--by', 'email', '--org', org];
  expect(await cli.fault(...wrong)).toMatchObject({ code: 2, message: expect.stringContaining('account_name') });
  const fault = await cli.fault(...args, '--cursor', 'x');
  expect(fault).toMatchObject({ message: expect.stringContaining('--cursor') });
});

test('a search for duplicates is refused if its index is missing', async () => {
  const asOwner = { DATABASE_MIGRATION_URL: cli.ownerUrl() };
  await cli.run(['indexes', 'drop', 'accounts.normalized_domain'], asOwner);
  const fault = await cli.fault('records', 'duplicates', 'account', '--by', 'domain', '--org', org);
  expect(fault.message).toContain('Available: account_name, crm_id');
  await cli.run(['indexes', 'create'], asOwner);
  expect(await cli.json('records', 'duplicates', 'account', '--by', 'domain', '--org', org)).not.toEqual([]);
});

test('after a merge with --chunked, the loser is not in the trash and cannot be restored', async () => {
  const path = await freshPath(cli.database(), org, recordsOperations.deleteContact, ids);
  const loser = path.split('/').at(-1)!;
  const args = ['records', 'merge', 'contact', ids.contact, loser, '--org', org, '--chunked'];
  expect(await cli.json(...args)).toMatchObject({ id: ids.contact, moved: { opportunities: 0 } });
  expect(await cli.fault('records', 'restore', loser, '--org', org)).toMatchObject({ code: 3 });
  expect(await cli.json('trash', 'list', '--org', org)).toEqual([]);
  expect(await cli.json(...args)).toMatchObject({ id: ids.contact, changed: [] });
  const fault = await cli.fault('records', 'merge', 'contact', loser, ids.contact, '--org', org, '--chunked');
  expect(fault.message).toMatch(/Was merged into .* Links that earlier steps have moved stay with/);
});

test('a page of the trash says how to read the next one', async () => {
  await cli.json('records', 'delete', 'contact', ids.contact, '--org', org);
  await cli.json('records', 'delete', 'activity', ids.custom_activity, '--org', org);
  const { stdout } = await cli.run(['trash', 'list', '--org', org, '--limit', '1']);
  const cursor = /--cursor (\S+)/.exec(stdout)![1]!;
  const next = await cli.json('trash', 'list', '--org', org, '--limit', '1', '--cursor', cursor);
  expect(next).toMatchObject([{ id: ids.contact }]);
});
