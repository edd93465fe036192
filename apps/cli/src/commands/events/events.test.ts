import { createOrganization } from '@relata/auth';
import { inOrganization, operatorIn } from '@relata/events';
import { accounts, contacts, RecordChanges, RecordInserts } from '@relata/records';
import { beforeAll, expect, test } from 'vitest';
import { useCli } from '../../cli.harness.ts';

const cli = useCli();
let org: string;
let account: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  const inserts = new RecordInserts(cli.database());
  const key = inOrganization({ kind: 'api_key', keyId: 'k', keyName: 'ERP sync', requestId: 'r' }, org);
  account = (await inserts.create(key, accounts, { account_name: 'Acme' })).id;
  await new RecordChanges(cli.database()).change(key, accounts, { id: account, patch: { city: 'Bern' } });
  await inserts.create(operatorIn(org, 'test'), contacts, { first_name: 'Ada', last_name: 'L' });
});

const typesOf = (found: { type: string }[]) => found.map(({ type }) => type);

test('events are listed the newest first, a page at a time, and by type or record', async () => {
  const found = await cli.json('events', 'list', '--org', 'Acme');
  expect(typesOf(found)).toEqual(['contact.created', 'account.updated', 'account.created']);
  const behind = await cli.json('events', 'list', '--org', org, '--limit', '1', '--before', found[0].id);
  expect(typesOf(behind)).toEqual(['account.updated']);
  const ofContacts = await cli.json('events', 'list', '--org', org, '--type', 'contact.*', '--type', 'user.created');
  expect(typesOf(ofContacts)).toEqual(['contact.created']);
  expect(typesOf(await cli.json('events', 'list', '--org', org, '--record', account))).toHaveLength(2);
});

test('people see who changed what', async () => {
  const { stdout } = await cli.run(['events', 'list', '--org', org]);
  expect(stdout).toMatch(/account\.updated +\S+ +key ERP sync +city/);
  expect(stdout).toMatch(/contact\.created +\S+ +operator/);
});

test('tail shows what comes behind an event, and ends as it is asked to', async () => {
  const [, , first] = await cli.json('events', 'list', '--org', org);
  const found = await cli.json('events', 'tail', '--org', org, '--after', first.id, '--limit', '2');
  expect(typesOf(found)).toEqual(['account.updated', 'contact.created']);
  const { stdout } = await cli.run(['events', 'tail', '--org', org, '--after', first.id, '--seconds', '1']);
  expect(stdout).toContain('account.updated');
});

test('a type that is none is wrong usage', async () => {
  expect(await cli.run(['events', 'list', '--org', org, '--type', 'account.nonsense'])).toMatchObject({ code: 2 });
});
