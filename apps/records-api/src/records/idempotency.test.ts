import { createApiKey } from '@relata/auth';
import { statement } from '@relata/db';
import { dropOldAnswers } from '@relata/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '@relata/testing';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';
let count = 0;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const newName = () => `write-${++count}`;
const named = (name: string) => ({ 'Idempotency-Key': name });
const call = (method: string, path: string, name: string, body: unknown, client = api.tenant.client) =>
  client(method, path, { body, headers: named(name) });
const create = (name: string, body: unknown = { account_name: 'Acme' }, client = api.tenant.client) =>
  call('POST', accounts, name, body, client);
const total = async () => (await api.tenant.client('GET', `${accounts}?limit=1`)).body.total as number;

test('a create that comes twenty times at once is done once', async () => {
  const [name, before] = [newName(), await total()];
  const all = await Promise.all(Array.from({ length: 20 }, () => create(name)));
  const done = all.filter(({ status }) => status === 201);
  expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  const refused = all.filter(({ status }) => status !== 201);
  for (const { status, error, headers } of refused)
    expect([status, error.error, headers.get('retry-after')]).toEqual([409, 'idempotency_in_progress', '1']);
  expect(await total()).toBe(before + 1);
});

test('a repeat is answered as the first time, byte for byte, also after the record was changed', async () => {
  const name = newName();
  const first = await create(name, { account_name: 'First' });
  await api.tenant.client('PATCH', `${accounts}/${first.body.data.id}`, { body: { account_name: 'Changed' } });
  const again = await create(`"${name}"`, { account_name: 'First' });
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(first.headers.has('idempotent-replayed')).toBe(false);
});

test('a patch is done once, also where the record has changed since', async () => {
  const { body } = await create(newName());
  const [path, name] = [`${accounts}/${body.data.id}`, newName()];
  const first = await call('PATCH', path, name, { city: 'Bern' });
  await api.tenant.client('PATCH', path, { body: { city: 'Basel' } });
  const again = await call('PATCH', path, name, { city: 'Bern' });
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect((await api.tenant.client('GET', path)).body.data.city).toBe('Basel');
});

test('a body may be nested as deeply as it has room for', async () => {
  const [name, nested] = [newName(), `${'['.repeat(400_000)}${']'.repeat(400_000)}`];
  const first = await create(name, `{"account_name":"Nested","crm_id":${nested}}`);
  const again = await create(name, `{"crm_id":${nested},"account_name":"Nested"}`);
  expect([first.status, again.text]).toEqual([201, first.text]);
  expect((await create(name, `{"account_name":"Nested","crm_id":[${nested}]}`)).status).toBe(422);
});

test('the order of members and white space make no other request; another body, path or method does', async () => {
  const name = newName();
  const first = await create(name, '{"account_name":"A","city":"B"}');
  expect((await create(name, '{ "city": "B", "account_name": "A" }')).text).toBe(first.text);
  const others = [
    await create(name, { account_name: 'A', city: 'C' }),
    await call('POST', '/v1/records/contacts', name, { first_name: 'A', last_name: 'B' }),
    await call('PATCH', `${accounts}/${first.body.data.id}`, name, { account_name: 'A', city: 'B' }),
  ];
  for (const { status, body } of others)
    expect([status, body]).toEqual([
      422,
      expect.objectContaining({ error: 'idempotency_key_reused', first_request_id: first.headers.get('x-request-id') }),
    ]);
});

test('what was refused is kept nowhere: the corrected request is done under the same name', async () => {
  const [name, missing] = [newName(), '01900000-0000-7000-8000-000000000000'];
  const deal = (account_id: string) => ({ opportunity_name: 'Deal', account_id });
  expect((await call('POST', '/v1/records/opportunities', name, {})).status).toBe(400);
  expect((await call('POST', '/v1/records/opportunities', name, deal(missing))).status).toBe(400);
  expect((await call('PATCH', `${accounts}/${missing}`, name, { city: 'A' })).status).toBe(404);
  expect((await call('POST', '/v1/records/opportunities', name, deal(api.tenant.ids.account))).status).toBe(201);
});

test('another key and another organization have names of their own', async () => {
  const name = newName();
  const scopes = ['records:read', 'records:write'] as const;
  const { key } = await createApiKey(api.db.database, api.tenant.orgId, { name: 'second', kind: 'secret', scopes });
  const clients = [api.tenant.client, apiClient(api.url, key), api.other.client];
  const made = await Promise.all(clients.map((client) => create(name, { account_name: 'Own' }, client)));
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(3);
});

test('a name is new again once it is older than it is kept', async () => {
  const name = newName();
  const first = await create(name);
  const age = statement<never>('test.age', `UPDATE idempotency_keys SET created_at = now() - interval '25 hours'`);
  await api.db.owner.query(age, []);
  const again = await create(name, { account_name: 'Another' });
  expect([again.status, again.headers.has('idempotent-replayed')]).toEqual([201, false]);
  expect(again.body.data.id).not.toBe(first.body.data.id);
  expect((await create(name, { account_name: 'Another' })).text).toBe(again.text);
  await using forgetful = await api.startReplica({ idempotencyHours: 0 });
  const client = apiClient(forgetful.url, api.tenant.key);
  expect((await create(name, { account_name: 'Third' }, client)).status).toBe(201);
});

test('answers that are older than they are kept are dropped, and the others stay', async () => {
  await api.db.owner.query(statement('test.clear', 'DELETE FROM idempotency_keys'), []);
  await create(newName());
  await api.db.owner.query(
    statement('test.age_all', `UPDATE idempotency_keys SET created_at = now() - interval '25 hours'`),
    [],
  );
  const kept = newName();
  const first = await create(kept);
  expect(await dropOldAnswers(api.db.database, 24 * 3_600_000)).toBe(1);
  expect(await dropOldAnswers(api.db.database, 24 * 3_600_000)).toBe(0);
  expect((await create(kept)).text).toBe(first.text);
});

test('a named write has its event, and a repeat has none', async () => {
  const name = newName();
  const { body } = await create(name);
  await create(name);
  const { data } = (await api.tenant.client('GET', `/v1/events?record_id=${body.data.id}`)).body;
  expect(data).toMatchObject([{ type: 'account.created', actor: { id: api.tenant.keyId } }]);
});

describe('a name', () => {
  test.each(['', '""', '"open', 'a b', 'ä', 'x'.repeat(256), '"a"b'])('that is none is refused: %j', async (name) => {
    const header = { 'Idempotency-Key': Buffer.from(name).toString('latin1') };
    const { status, body } = await api.tenant.client('POST', accounts, {
      body: { account_name: 'A' },
      headers: header,
    });
    expect([status, body.details]).toEqual([
      400,
      [expect.objectContaining({ in: 'header', field: 'Idempotency-Key' })],
    ]);
  });

  test('may have 255 characters, and is ignored where nothing is written', async () => {
    expect((await create(`${'x'.repeat(250)}${newName()}`.slice(-255))).status).toBe(201);
    expect((await api.tenant.client('GET', accounts, { headers: named('a b') })).status).toBe(200);
  });
});
