import { apiClient } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.tenant.client(method, path, { body, headers });
const total = async () => (await api.tenant.client('GET', `${accounts}?limit=1`)).body.total as number;
const events = async () => (await api.tenant.client('GET', '/v1/events?limit=1000')).body.data.length as number;

test('a dry run has the response of the real write, and leaves no data', async () => {
  const { id } = (await send('POST', accounts, { account_name: 'Kept', domain: 'kept.example' })).body.data;
  const [records, kept, written] = [
    await total(),
    (await api.tenant.client('GET', `${accounts}/${id}`)).body,
    await events(),
  ];
  const tries = [
    [await send('POST', `${accounts}?dry_run=true`, { account_name: 'Tried' }), 201, { dry_run: true }],
    [await send('PATCH', `${accounts}/${id}?dry_run=true`, { city: 'Bern' }), 200, { dry_run: true }],
    [
      await send('POST', `${accounts}/upsert?dry_run=true`, { match: { id }, set: { city: 'Bern' } }),
      200,
      { dry_run: true, action: 'updated', changed: ['city'] },
    ],
    [
      await send('POST', `${accounts}/upsert?dry_run=true`, {
        match: { domain: 'new.example' },
        set: { account_name: 'N' },
      }),
      201,
      { dry_run: true, action: 'created' },
    ],
    [
      await send('POST', `${accounts}/batch?dry_run=true`, { operation: 'create', items: [{ account_name: 'B' }, {}] }),
      200,
      { dry_run: true },
    ],
    [await send('POST', '/v1/activities/custom?dry_run=true', { content: 'Tried' }), 201, { dry_run: true }],
  ] as const;
  for (const [response, status, meta] of tries) {
    expect([response.status, response.body.meta], response.text).toEqual([status, meta]);
    expect(response.headers.has('etag')).toBe(false);
  }
  expect([await total(), (await api.tenant.client('GET', `${accounts}/${id}`)).body, await events()]).toEqual([
    records,
    kept,
    written,
  ]);
});

test('errors of a dry run are those of the real write', async () => {
  const { id } = (await send('POST', accounts, { account_name: 'Kept' })).body.data;
  expect((await send('POST', `${accounts}?dry_run=true`, {})).status).toBe(400);
  expect((await send('PATCH', `${accounts}/${api.other.ids.account}?dry_run=true`, {})).status).toBe(404);
  expect((await send('PATCH', `${accounts}/${id}?dry_run=true`, {}, { 'If-Match': '"x"' })).status).toBe(412);
  const aborted = await send('POST', `${accounts}/batch?dry_run=true`, {
    operation: 'create',
    atomic: true,
    items: [{}],
  });
  expect(aborted.status).toBe(409);
});

test('the format of an Idempotency-Key is checked, but it is not stored', async () => {
  const name = { 'Idempotency-Key': 'tried-once' };
  expect((await send('POST', `${accounts}?dry_run=true`, { account_name: 'Tried' }, name)).status).toBe(201);
  const done = await send('POST', accounts, { account_name: 'Done' }, name);
  expect([done.status, done.headers.has('idempotent-replayed')]).toEqual([201, false]);
  expect(
    (await send('POST', `${accounts}?dry_run=true`, { account_name: 'T' }, { 'Idempotency-Key': 'a b' })).status,
  ).toBe(400);
});

test.each(['True', '1', '', 'yes'])('dry_run=%s: 400', async (value) => {
  const response = await send('POST', `${accounts}?dry_run=${value}`, { account_name: 'Tried' });
  expect(response).toMatchObject({ status: 400, error: { details: [{ in: 'query', field: 'dry_run' }] } });
});

test('dry_run=false is an ordinary write', async () => {
  const response = await send('POST', `${accounts}?dry_run=false`, { account_name: 'Done' });
  expect([response.status, response.body.meta]).toEqual([201, undefined]);
  expect((await api.tenant.client('GET', `${accounts}/${response.body.data.id}`)).status).toBe(200);
});

test('every ten items of a batch count as a request, and a batch is accepted while at least one request is left', async () => {
  await using replica = await api.startReplica({ rateLimit: { points: 10, windowMs: 60_000 } });
  const client = apiClient(replica.url, api.tenant.key);
  const items = (count: number) => Array.from({ length: count }, () => ({ account_name: 'Counted' }));
  const batchOf = (count: number) =>
    client('POST', `${accounts}/batch`, { body: { operation: 'create', items: items(count) } });
  const remaining = (response: { headers: Headers }) => response.headers.get('ratelimit-remaining');
  expect([remaining(await batchOf(10)), remaining(await batchOf(11)), remaining(await batchOf(50))]).toEqual([
    '9',
    '7',
    '2',
  ]);
  expect(remaining(await client('GET', '/v1/self'))).toBe('1');
  expect(await batchOf(500)).toMatchObject({ status: 200 });
  expect(await client('GET', '/v1/self')).toMatchObject({ status: 429 });
});
