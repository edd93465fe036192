import { insertExamples, type ExampleIds } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { useCli } from '../../cli.harness.ts';

const cli = useCli();
let org: string;
let ids: ExampleIds;

beforeAll(async () => {
  org = (await cli.json('orgs', 'create', 'Acme')).id;
  ids = await insertExamples(cli.database(), org);
});

test('an erase needs --yes, or only counts', async () => {
  const args = ['records', 'erase', 'contact', ids.contact, '--org', org];
  expect(await cli.fault(...args)).toMatchObject({ code: 2, message: expect.stringContaining('--yes') });
  expect(await cli.fault(...args, '--yes', '--text', 'Lovelace')).toMatchObject({
    code: 2,
    message: expect.stringContaining('--also-runs'),
  });
  const counted = await cli.json(...args, '--dry-run', '--also-runs');
  const erased = await cli.json(...args, '--also-runs', '--yes');
  expect(counted).toEqual(erased);
  expect(erased).toMatchObject({ id: ids.contact, deliveries: 0, runs: 0, active: 0, refused_posts: 0 });
  expect(await cli.fault(...args, '--yes')).toMatchObject({ code: 3 });
  expect(await cli.json(...args, '--also-runs', '--text', 'Lovelace', '--yes')).toEqual({
    id: ids.contact,
    deliveries: 0,
    runs: 0,
    active: 0,
    refused_posts: 0,
  });
  const [event] = await cli.json('events', 'list', '--org', org, '--type', 'contact.erased');
  expect(event).toMatchObject({ actor: { type: 'operator' }, record: { id: ids.contact }, erased: true });
});

test('an account with opportunities needs --cascade', async () => {
  const args = ['records', 'erase', 'account', ids.account, '--org', org, '--yes'];
  expect(await cli.fault(...args)).toMatchObject({ code: 1, message: expect.stringContaining('--cascade') });
  expect((await cli.json(...args, '--cascade')).erased).toEqual({ opportunities: 1 });
});
