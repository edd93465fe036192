import { createApiKey } from '@relata/auth';
import { dropOldResponses, newId, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopeNames } from '@relata/schemas';
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
const latestEvent = async () =>
  (await api.tenant.client('GET', '/v1/events?order=desc&limit=1')).body.data[0].id as string;

/** Makes every stored response older by `hours`. */
const ageBy = (hours: number) =>
  api.db.owner.query(
    statement<never>('test.age', 'UPDATE idempotency_keys SET created_at = created_at - make_interval(hours => $1)'),
    [hours],
  );

test('B1.1: a create that is sent twenty times at once is executed once (G2)', async () => {
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

test('B1.2: a repeat is answered byte for byte like the first time, also after the record was changed', async () => {
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

test('B1.2, B1.7: a patch, upserts, batches and an activity are executed once, and get the same answer after the record has changed', async () => {
  const { id } = (await create(newName())).body.data;
  const upserts = [
    { match: { id }, set: { city: 'Chur' } },
    { match: { domain: 'batch.example' }, set: { account_name: 'New' } },
  ];
  const writes: [method: string, path: string, body: object][] = [
    ['PATCH', `${accounts}/${id}`, { city: 'Bern' }],
    ['POST', `${accounts}/upsert`, { match: { id }, set: { city: 'Basel' } }],
    ['POST', `${accounts}/upsert`, { match: { domain: 'one.example' }, set: { account_name: 'New' } }],
    [
      'POST',
      `${accounts}/batch`,
      {
        operation: 'update',
        items: [
          { id, set: { city: 'Zug' } },
          { id: 'nope', set: {} },
        ],
      },
    ],
    ['POST', `${accounts}/batch`, { operation: 'upsert', atomic: true, items: upserts }],
    ['POST', '/v1/activities/custom', { content: 'Called.' }],
  ];
  const sent = writes.map(([method, path, body]) => ({ method, path, body, name: newName() }));
  const first = [];
  for (const { method, path, name, body } of sent) first.push(await call(method, path, name, body));
  expect(first.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 201]);
  await api.tenant.client('PATCH', `${accounts}/${id}`, { body: { city: 'Later' } });
  const event = await latestEvent();
  for (const [i, { method, path, name, body }] of sent.entries()) {
    const again = await call(method, path, name, body);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([
      first[i]!.status,
      first[i]!.text,
      first[i]!.headers.get('etag'),
    ]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  }
  expect((await api.tenant.client('GET', `${accounts}/${id}`)).body.data.city).toBe('Later');
  expect(await latestEvent()).toBe(event);
});

test('a body nested deeper than any stored one is a repeat only of the same bytes', async () => {
  const [name, nested] = [newName(), `${'['.repeat(400_000)}${']'.repeat(400_000)}`];
  const first = await create(name, `{"account_name":"Nested","crm_id":${nested}}`);
  const again = await create(name, `{"account_name":"Nested","crm_id":${nested}}`);
  expect([first.status, again.text]).toEqual([201, first.text]);
  expect((await create(name, `{"account_name":"Nested","crm_id":[${nested}]}`)).status).toBe(422);
});

test('B1.3: the order of members and white space do not matter; another body, path or method is refused without any effect', async () => {
  const [name, patched] = [newName(), newName()];
  const { id } = (await create(newName())).body.data;
  const first = await create(name, '{"account_name":"A","city":"B"}');
  expect((await create(name, '{ "city": "B", "account_name": "A" }')).text).toBe(first.text);
  const patch = await call('PATCH', `${accounts}/${id}`, patched, { account_name: 'A', city: 'C' });
  const event = await latestEvent();
  const others = [
    [first, await create(name, { account_name: 'A', city: 'C' })],
    [first, await call('POST', '/v1/records/contacts', name, { first_name: 'A', last_name: 'B' })],
    [first, await call('PATCH', `${accounts}/${first.body.data.id}`, name, { account_name: 'A', city: 'C' })],
    [patch, await call('PATCH', `${accounts}/${first.body.data.id}`, patched, { account_name: 'A', city: 'C' })],
    [patch, await create(patched, { account_name: 'A', city: 'C' })],
  ] as const;
  for (const [{ headers }, { status, body }] of others)
    expect([status, body]).toEqual([
      422,
      expect.objectContaining({ error: 'idempotency_key_reused', first_request_id: headers.get('x-request-id') }),
    ]);
  expect(await latestEvent()).toBe(event);
  expect((await create(name, { city: 'B', account_name: 'A' })).text).toBe(first.text);
});

test('B1.4: refusals are not stored: the corrected request is executed with the same key (G2)', async () => {
  const [name, missing] = [newName(), '01900000-0000-7000-8000-000000000000'];
  const deal = (account_id: string) => ({ opportunity_name: 'Deal', account_id });
  expect((await call('POST', '/v1/records/opportunities', name, {})).status).toBe(400);
  expect((await call('POST', '/v1/records/opportunities', name, deal(missing))).status).toBe(400);
  expect((await call('PATCH', `${accounts}/${missing}`, name, { city: 'A' })).status).toBe(404);
  expect((await call('POST', '/v1/records/opportunities', name, deal(api.tenant.ids.account))).status).toBe(201);
});

describe('faults that need no look-up are reported before a key that was used for another request', () => {
  const refused: [string, (ids: TestApi['tenant']['ids']) => [method: string, path: string, body: object], number][] = [
    ['a batch without its scope', () => ['POST', `${accounts}/batch`, { operation: 'delete', items: [{}] }], 403],
    [
      'a merge with a malformed if_match',
      ({ account }) => [
        'POST',
        `${accounts}/merge`,
        { winner_id: account, loser_ids: [newId()], if_match: { [account]: 'no etag' } },
      ],
      400,
    ],
    [
      'a stage with contradictory flags',
      ({ pipeline }) => [
        'POST',
        '/v1/records/stages',
        { name: 'Both', pipeline_id: pipeline, is_won: true, is_lost: true },
      ],
      400,
    ],
    [
      'a change of a stage to contradictory flags',
      ({ stage }) => ['PATCH', `/v1/records/stages/${stage}`, { is_won: true, is_closed: false }],
      400,
    ],
  ];

  test.each(refused)('%s', async (_what, requestOf, status) => {
    const scopes = scopeNames.filter((scope) => scope !== (status === 403 ? 'records:delete' : 'webhook'));
    const client = apiClient(api.url, await api.keyWith(scopes));
    const name = newName();
    expect((await create(name, { account_name: 'First' }, client)).status).toBe(201);
    const [method, path, body] = requestOf(api.tenant.ids);
    expect((await call(method, path, name, body, client)).status).toBe(status);
  });
});

test('B1.5: idempotency keys of another API key and another organization are separate', async () => {
  const name = newName();
  const scopes = ['records:read', 'records:write'] as const;
  const { key } = await createApiKey(api.db.database, api.tenant.orgId, { name: 'second', kind: 'secret', scopes });
  const clients = [api.tenant.client, apiClient(api.url, key), api.other.client];
  const made = await Promise.all(clients.map((client) => create(name, { account_name: 'Own' }, client)));
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(3);
});

test('B1.8: an idempotency key can be used again once it has expired', async () => {
  const name = newName();
  const first = await create(name);
  await ageBy(23);
  expect((await create(name)).text).toBe(first.text);
  await ageBy(2);
  const again = await create(name, { account_name: 'Another' });
  expect([again.status, again.headers.has('idempotent-replayed')]).toEqual([201, false]);
  expect(again.body.data.id).not.toBe(first.body.data.id);
  expect((await create(name, { account_name: 'Another' })).text).toBe(again.text);
  await using forgetful = await api.startReplica({ idempotencyHours: 0 });
  const client = apiClient(forgetful.url, api.tenant.key);
  expect((await create(name, { account_name: 'Third' }, client)).status).toBe(201);
});

test('expired answers are deleted, and the others stay', async () => {
  await api.db.owner.query(statement('test.clear', 'DELETE FROM idempotency_keys'), []);
  await create(newName());
  await ageBy(25);
  const kept = newName();
  const first = await create(kept);
  expect(await dropOldResponses(api.db.database, 24 * 3_600_000)).toBe(1);
  expect(await dropOldResponses(api.db.database, 24 * 3_600_000)).toBe(0);
  expect((await create(kept)).text).toBe(first.text);
});

test('a write with an idempotency key has its event, and a repeat has none', async () => {
  const name = newName();
  const { body } = await create(name);
  await create(name);
  const { data } = (await api.tenant.client('GET', `/v1/events?record_id=${body.data.id}`)).body;
  expect(data).toMatchObject([{ type: 'account.created', actor: { id: api.tenant.keyId } }]);
});

describe('an idempotency key', () => {
  test.each(['', '""', '"open', 'a b', 'ä', 'x'.repeat(256), '"a"b'])(
    'that is malformed is refused: %j',
    async (name) => {
      const header = { 'Idempotency-Key': Buffer.from(name).toString('latin1') };
      const { status, body } = await api.tenant.client('POST', accounts, {
        body: { account_name: 'A' },
        headers: header,
      });
      expect([status, body.details]).toEqual([
        400,
        [expect.objectContaining({ in: 'header', field: 'Idempotency-Key' })],
      ]);
    },
  );

  test('may have 255 characters, and is ignored by reads', async () => {
    expect((await create(`${'x'.repeat(250)}${newName()}`.slice(-255))).status).toBe(201);
    expect((await api.tenant.client('GET', accounts, { headers: named('a b') })).status).toBe(200);
  });
});
