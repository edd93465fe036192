import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

type Sent = Parameters<typeof api.tenant.client>[2];
const call = (method: string, path: string, sent?: Sent) => api.tenant.client(method, path, sent);
const events = async (query: string) => (await call('GET', `/v1/events?${query}`)).body;

async function newDeal() {
  const body = {
    opportunity_name: 'Deal',
    account_id: api.tenant.ids.account,
    amount: 12.5,
    close_date: '2026-12-01T00:00:00Z',
  };
  const made = await call('POST', '/v1/records/opportunities', { body, headers: { 'X-Request-Id': 'made-it' } });
  return made.body.data;
}

test('B3.1: a change has an event with its author, its request, the values before and after, and the record as GET shows it', async () => {
  const deal = await newDeal();
  const path = `/v1/records/opportunities/${deal.id}`;
  const changed = await call('PATCH', path, {
    body: { amount: 20, pipeline: 'Sales' },
    headers: { 'X-Request-Id': 'changed-it' },
  });
  const { data } = await events(`record_id=${deal.id}`);
  const actor = { type: 'api_key', id: api.tenant.keyId, name: expect.any(String) };
  const about = { record_type: 'opportunity', record_id: deal.id, actor };
  expect(data).toEqual([
    {
      ...about,
      id: expect.any(String),
      created_at: deal.created_at,
      type: 'opportunity.created',
      request_id: 'made-it',
      record: deal,
    },
    {
      ...about,
      id: expect.any(String),
      created_at: changed.body.data.updated_at,
      type: 'opportunity.updated',
      request_id: 'changed-it',
      changed: ['amount', 'pipeline'],
      previous: { amount: 12.5 },
      record: changed.body.data,
    },
  ]);
  expect((await call('GET', `/v1/events/${data[1].id}`)).body).toEqual({ data: data[1] });
  expect((await call('GET', `${path}/history`)).body.data).toEqual(data);
});

test('a feed continues from its cursor, and a waiting reader gets the next change', async () => {
  const { next_cursor: cursor } = await events('after=latest');
  const waiting = events(`after=${cursor}&wait=20&type=opportunity.*`);
  await call('POST', '/v1/records/accounts', { body: { account_name: 'Passed over' } });
  const deal = await newDeal();
  expect(await waiting).toMatchObject({ data: [{ record_id: deal.id }], has_more: false });
  const [first, second] = [await events(`after=${cursor}&limit=1`), await events(`after=${cursor}`)];
  expect(first).toMatchObject({ data: [{ type: 'account.created' }], has_more: true });
  expect(second.data.map(({ type }: { type: string }) => type)).toEqual(['account.created', 'opportunity.created']);
});

test('the history of a record older than its events is empty, and that of an unknown record is 404', async () => {
  await api.db.owner.query({ name: 'test.forget', text: 'DELETE FROM events WHERE record_id = $1' }, [
    api.tenant.ids.contact,
  ]);
  const historyOf = (id: string) => call('GET', `/v1/records/contacts/${id}/history`);
  const { next_cursor: latest } = await events('after=latest');
  expect((await historyOf(api.tenant.ids.contact)).body).toEqual({ data: [], next_cursor: latest, has_more: false });
  expect((await historyOf(api.other.ids.contact)).status).toBe(404);
  expect((await historyOf(api.tenant.ids.account)).status).toBe(404);
});

test('the history of a deleted record can be followed to its end; the history of an unknown record is 404 from any cursor', async () => {
  const deal = await newDeal();
  const path = `/v1/records/opportunities/${deal.id}`;
  expect((await call('DELETE', path)).status).toBe(200);
  const read = (query: string, id = deal.id) => call('GET', `/v1/records/opportunities/${id}/history?${query}`);
  const { data, next_cursor: cursor } = (await read('limit=10')).body;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['opportunity.created', 'opportunity.deleted']);
  expect(await read(`after=${cursor}`)).toMatchObject({
    status: 200,
    body: { data: [], next_cursor: cursor, has_more: false },
  });
  expect(await read('after=latest')).toMatchObject({ status: 200, body: { data: [], has_more: false } });
  for (const after of [cursor, 'latest', 'start'])
    expect((await read(`after=${after}`, api.other.ids.account)).status).toBe(404);
});

test.each([
  ['after=nonsense', 'after'],
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['wait=31', 'wait'],
  ['wait=1&order=desc', 'wait'],
  ['type=account.nonsense', 'type'],
  ['type=account.created,', 'type'],
  [`type=${'account.*,'.repeat(50)}account.*`, 'type'],
  ['actor_id=%00', 'actor_id'],
  ['request_id=%00', 'request_id'],
  ['changed=%00', 'changed'],
  ['record_id=1', 'record_id'],
  ['record_type=nonsense', 'record_type'],
  ['created_at[gte]=yesterday', 'created_at[gte]'],
  ['offset=0', 'offset'],
])('refuses %s and names the parameter', async (query, field) => {
  const { status, body } = await call('GET', `/v1/events?${query}`);
  const detail = expect.objectContaining({ in: 'query', field, code: expect.any(String) });
  expect([status, body.details?.[0]]).toEqual([400, detail]);
});

test('a key without events:read cannot read events, and no key can read events of another organization', async () => {
  const key = await api.keyWith(['records:read', 'records:write']);
  const path = `/v1/records/accounts/${api.tenant.ids.account}/history`;
  for (const each of ['/v1/events', path]) expect((await call('GET', each, { key })).status).toBe(403);
  const { data } = (await api.other.client('GET', '/v1/events?limit=1000')).body;
  expect(data.length).toBeGreaterThan(0);
  for (const { id, record_id } of data) {
    expect((await call('GET', `/v1/events/${id}`)).status).toBe(404);
    expect((await events(`record_id=${record_id}`)).data).toEqual([]);
  }
});
