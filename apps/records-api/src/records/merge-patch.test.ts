import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const full = { account_name: 'A', domain: 'a.example', city: 'Bern', sales_status: 'lead', tags: ['x', 'y'] };

async function created(body: object = full) {
  const { body: written } = await api.tenant.client('POST', '/v1/records/accounts', { body });
  return written.data;
}

const patch = (id: string, body: unknown) => api.tenant.client('PATCH', `/v1/records/accounts/${id}`, { body });

test('an empty patch changes nothing, not even the time of change', async () => {
  const account = await created();
  expect(await patch(account.id, {})).toMatchObject({ status: 200, body: { data: account } });
});

test('a patch with only read-only fields changes nothing', async () => {
  const account = await created();
  const sent = { id: api.tenant.orgId, crm_id: 'mine', created_at: null, updated_at: 'nonsense' };
  expect((await patch(account.id, sent)).body.data).toEqual(account);
});

test('null clears an optional field, which is then left out', async () => {
  const account = await created();
  const { data } = (await patch(account.id, { domain: null, sales_status: null, city: '' })).body;
  expect(data).not.toHaveProperty('domain');
  expect(data).not.toHaveProperty('sales_status');
  expect(data).toMatchObject({ city: '', tags: ['x', 'y'], account_name: 'A' });
});

test('tags are replaced as a whole, and cleared to an empty list', async () => {
  const account = await created();
  expect((await patch(account.id, { tags: ['z'] })).body.data.tags).toEqual(['z']);
  expect((await patch(account.id, { tags: null })).body.data.tags).toEqual([]);
});

test('null for an optional field of a new record means absent', async () => {
  const account = await created({ account_name: 'B', domain: null, tags: null, sales_status: null });
  expect(Object.keys(account).toSorted()).toEqual(['account_name', 'created_at', 'id', 'tags', 'updated_at']);
});

test('read-only fields of a new record are ignored', async () => {
  const sent = { account_name: 'C', id: api.tenant.ids.account, crm_id: 5, created_at: '1999-01-01T00:00:00Z' };
  const account = await created(sent);
  expect(account.id).not.toBe(sent.id);
  expect(account).not.toHaveProperty('crm_id');
  expect(account.created_at).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('concurrent patches of different fields all apply', async () => {
  const account = await created();
  const fields = ['domain', 'city', 'state', 'country', 'address', 'icp_label'];
  await Promise.all(fields.map((field) => patch(account.id, { [field]: `new ${field}` })));
  const { data } = (await api.tenant.client('GET', `/v1/records/accounts/${account.id}`)).body;
  for (const field of fields) expect(data[field]).toBe(`new ${field}`);
});

test("a patch never affects another organization's record", async () => {
  const path = `/v1/records/accounts/${api.other.ids.account}`;
  expect((await api.tenant.client('PATCH', path, { body: { account_name: 'Mine' } })).status).toBe(404);
  expect((await api.other.client('GET', path)).body.data.account_name).toBe('Example Robotics');
});

test('an invalid body is reported before a missing record', async () => {
  expect((await patch(api.tenant.orgId, { account_name: '' })).status).toBe(400);
});
