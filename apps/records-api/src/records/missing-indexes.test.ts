import { statement } from '@relata/db';
import { buildIndexes } from '@relata/records';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const path = '/v1/records/contacts';
const drop = () => api.db.owner.query(statement('', 'DROP INDEX IF EXISTS contacts_by_last_name'), []);
const indexesEveryMs = 100;

test('the sort and filters of a missing index are refused with a list of sorts and filters that work (acceptance B4.15)', async () => {
  await drop();
  await using replica = await api.startReplica();
  const query = 'sort=last_name&last_name[prefix]=a&owner_id[exists]=true';
  const headers = { 'X-Api-Key': api.tenant.key };
  const refused = await fetch(`${replica.url}${path}?${query}`, { headers });
  const { details } = (await refused.json()) as { details: { field: string; code: string; allowed: string[] }[] };
  expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual([
    'sort unsupported_sort',
    'last_name[prefix] unsupported_filter',
  ]);
  expect(details[0]!.allowed).toEqual(['id', '-id', 'created_at', '-created_at']);
  expect(details[1]!.allowed).toContain('owner_id[exists]');
  expect(details[1]!.allowed).not.toContain('last_name');
});

test('a parameter that does not exist is refused with the filters that work', async () => {
  await drop();
  await using replica = await api.startReplica();
  const headers = { 'X-Api-Key': api.tenant.key };
  const problemOf = async (query: string) => {
    const refused = await fetch(`${replica.url}${path}?${query}`, { headers });
    const { details } = (await refused.json()) as { details: { message: string; allowed?: string[] }[] };
    return details[0]!;
  };
  const { message, allowed } = await problemOf('colour=red');
  expect(allowed).toContain('owner_id[exists]');
  expect(allowed!.filter((name) => /^(last_name|updated_at)/.test(name))).toEqual([]);
  expect(message).toMatch(/^Unknown parameter\. Available: /);
  expect(message).not.toContain('last_name');
  expect((await problemOf('first_name=Ada&last_nam=a')).message).not.toContain('last_name');
  await buildIndexes({ url: api.db.ownerUrl });
});

test('every running replica notices when an index is built or dropped (acceptance B4.15)', async () => {
  await drop();
  await using one = await api.startReplica({ indexesEveryMs });
  await using other = await api.startReplica({ indexesEveryMs });
  const headers = { 'X-Api-Key': api.tenant.key };
  const statusAt = async (url: string, query: string) => (await fetch(`${url}${path}?${query}`, { headers })).status;
  const statuses = (query: string) => Promise.all([one, other].map(({ url }) => statusAt(url, query)));
  for (const query of ['sort=last_name', 'last_name[prefix]=a']) expect(await statuses(query)).toEqual([400, 400]);
  await buildIndexes({ url: api.db.ownerUrl });
  for (const query of ['sort=last_name', 'last_name[prefix]=a'])
    await until(async () => expect(await statuses(query)).toEqual([200, 200]));
  await drop();
  await until(async () => expect(await statuses('sort=last_name')).toEqual([400, 400]));
  expect(await statuses('sort=created_at')).toEqual([200, 200]);
  await buildIndexes({ url: api.db.ownerUrl });
});
