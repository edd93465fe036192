import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
let ids: string[];

beforeAll(async () => {
  api = await startTestApi();
  ids = [api.tenant.ids.account];
  for (let i = 0; i < 29; i++) {
    const body = { account_name: `Account ${i}`, domain: i % 2 ? `D${i}.Example` : 'ÉCOLE.example' };
    const created = await api.tenant.client('POST', '/v1/records/accounts', { body });
    ids.push(created.body.data.id);
  }
});
afterAll(() => api[Symbol.asyncDispose]());

const list = async (query = '') => (await api.tenant.client('GET', `/v1/records/accounts${query}`)).body;
const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

test('the first page has 25 records in the order of creation, with the exact total', async () => {
  const page = await list();
  expect(idsOf(page)).toEqual(ids.slice(0, 25));
  expect(page).toMatchObject({ total: 30, limit: 25, offset: 0, has_more: true });
});

test('id order is creation order', () => {
  expect(ids.toSorted()).toEqual(ids);
});

test.each([
  ['?limit=1', [0, 1], true],
  ['?limit=100', [0, 30], false],
  ['?limit=10&offset=20', [20, 30], false],
  ['?limit=10&offset=19', [19, 29], true],
  ['?offset=29', [29, 30], false],
  ['?offset=', [0, 25], true],
  ['?offset=0', [0, 25], true],
])('%s returns the rows %j', async (query, [from, to], hasMore) => {
  const page = await list(query);
  expect(idsOf(page)).toEqual(ids.slice(from, to));
  expect(page).toMatchObject({ total: 30, has_more: hasMore });
});

test.each(['30', '31', '1000000000', '9007199254740991'])(
  'past the end, at %s: an empty page with the same total',
  async (offset) => {
    expect(await list(`?offset=${offset}`)).toEqual({
      data: [],
      total: 30,
      limit: 25,
      offset: Number(offset),
      has_more: false,
    });
  },
);

test.each([
  ['limit', '0', 'out_of_range'],
  ['limit', '101', 'out_of_range'],
  ['limit', '-1', 'out_of_range'],
  ['limit', '', 'invalid_type'],
  ['limit', '1.5', 'invalid_type'],
  ['limit', '1e1', 'invalid_type'],
  ['limit', '0x10', 'invalid_type'],
  ['limit', '%2010', 'invalid_type'],
  ['limit', 'ten', 'invalid_type'],
  ['limit', '1&limit=2', 'invalid_type'],
  ['offset', '-1', 'out_of_range'],
  ['offset', '1.0', 'invalid_type'],
  ['offset', 'null', 'invalid_type'],
  ['offset', '9007199254740992', 'out_of_range'],
  ['offset', '99999999999999999999999', 'out_of_range'],
  ['offset', '9'.repeat(401), 'out_of_range'],
  ['limit', '99999999999999999999', 'out_of_range'],
])('refuses %s=%s as %s', async (field, value, code) => {
  const { status, error } = await api.tenant.client('GET', `/v1/records/accounts?${field}=${value}`);
  expect(status).toBe(400);
  expect(error.details).toEqual([expect.objectContaining({ in: 'query', field, code })]);
});

test('every parameter is checked, even if there are very many', async () => {
  const { status, error } = await api.tenant.client('GET', `/v1/records/accounts?${'&'.repeat(1_200)}nonsense=1`);
  expect([status, error.details?.at(-1)?.field]).toEqual([400, 'nonsense']);
});

describe('filters', () => {
  test('domain matches the whole value, in any case and script', async () => {
    expect(await list('?domain=%C3%A9cole.EXAMPLE&limit=100')).toMatchObject({ total: 15 });
    expect(await list('?domain=d1.example')).toMatchObject({ total: 1, data: [{ domain: 'D1.Example' }] });
    expect(await list('?domain=1.example')).toMatchObject({ total: 0, data: [] });
    expect(await list('?domain=d%25.example')).toMatchObject({ total: 0 });
  });

  test('a filtered list has pages like the whole list', async () => {
    const page = await list('?domain=%C3%A9cole.example&limit=4&offset=10');
    expect(page).toMatchObject({ total: 15, limit: 4, offset: 10, has_more: true });
    expect(page.data).toHaveLength(4);
    expect(await list('?domain=%C3%A9cole.example&offset=15')).toMatchObject({ data: [], total: 15, has_more: false });
  });

  test('a domain of maximum length can be stored and found', async () => {
    const domain = 'x'.repeat(2_048);
    const created = await api.other.client('POST', '/v1/records/accounts', { body: { account_name: 'Long', domain } });
    expect(created.status).toBe(201);
    const page = await api.other.client('GET', `/v1/records/accounts?domain=${domain}`);
    expect(page.body).toMatchObject({ total: 1, data: [{ domain }] });
  });

  test.each(['%00', 'x'.repeat(2_049)])('refuses a filter that no value can equal', async (domain) => {
    const { status, error } = await api.tenant.client('GET', `/v1/records/accounts?domain=${domain}`);
    expect([status, error.details?.[0]?.field]).toEqual([400, 'domain']);
  });

  test('email and account_id filter their lists', async () => {
    const { client, ids: own } = api.tenant;
    await client('POST', '/v1/records/contacts', {
      body: { first_name: 'A', last_name: 'B', email: 'Ada@Engines.example' },
    });
    expect((await client('GET', '/v1/records/contacts?email=ada@engines.EXAMPLE')).body).toMatchObject({ total: 1 });
    expect((await client('GET', `/v1/records/opportunities?account_id=${own.account.toUpperCase()}`)).body.total).toBe(
      1,
    );
    expect((await client('GET', `/v1/records/opportunities?account_id=${own.contact}`)).body.total).toBe(0);
    const wrong = await client('GET', '/v1/records/opportunities?account_id=nonsense');
    expect(wrong.error.details).toEqual([
      expect.objectContaining({ in: 'query', field: 'account_id', code: 'invalid_format' }),
    ]);
  });

  test('pipeline_id filters the stages', async () => {
    const { client, ids: own } = api.tenant;
    expect((await client('GET', `/v1/records/stages?pipeline_id=${own.pipeline}`)).body.total).toBe(1);
    expect((await client('GET', `/v1/records/stages?pipeline_id=${own.stage}`)).body.total).toBe(0);
  });
});

test('a list shows nothing of another organization', async () => {
  const page = (await api.other.client('GET', '/v1/records/contacts?limit=100')).body;
  expect(idsOf(page)).toEqual([api.other.ids.contact]);
  expect(page.total).toBe(1);
  const foreign = await api.other.client('GET', `/v1/records/opportunities?account_id=${api.tenant.ids.account}`);
  expect(foreign.body).toMatchObject({ data: [], total: 0 });
});

test('pages do not change while records are added', async () => {
  const body = { account_name: 'Later' };
  let isOver = false;
  const writing = Array.from({ length: 12 }, async (_, i) => {
    while (!isOver) {
      const address = 'x'.repeat(i * 150);
      await api.other.client('POST', '/v1/records/accounts', { body: { ...body, address } });
    }
  });
  const seen: string[] = [];
  for (let polls = 0; polls < 150; polls++) {
    const page = await api.other.client('GET', `/v1/records/accounts?limit=100&offset=${seen.length}`);
    seen.push(...idsOf(page.body));
  }
  isOver = true;
  await Promise.all(writing);
  expect(seen.length).toBeGreaterThan(100);
  expect(seen).toEqual([...new Set(seen)].toSorted());
  const all: string[] = [];
  while (all.length < seen.length) {
    all.push(...idsOf((await api.other.client('GET', `/v1/records/accounts?limit=100&offset=${all.length}`)).body));
  }
  expect(all.slice(0, seen.length)).toEqual(seen);
});

test('the total is exact after many concurrent creates', async () => {
  const body = { first_name: 'Many', last_name: 'Others' };
  const before = (await api.tenant.client('GET', '/v1/records/contacts')).body.total;
  const replica = await api.startReplica();
  const post = (url: string) => fetch(`${url}/v1/records/contacts`, requestOf(body));
  const responses = await Promise.all(Array.from({ length: 300 }, (_, i) => post(i % 2 ? api.url : replica.url)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  const made = await Promise.all(
    responses.map(async (response) => ((await response.json()) as { data: { id: string } }).data.id),
  );
  expect(new Set(made).size).toBe(300);
  expect((await api.tenant.client('GET', '/v1/records/contacts')).body.total).toBe(before + 300);
  await replica[Symbol.asyncDispose]();
});

function requestOf(body: unknown): RequestInit {
  const headers = { 'X-Api-Key': api.tenant.key, 'Content-Type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}
