import { Executor, statement } from '@relata/db';
import { contacts, readUpsert, upsertUnit } from '@relata/records';
import { runActor } from '@relata/events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';
const people = '/v1/records/contacts';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const upsert = (path: string, body: unknown, client = api.tenant.client) => client('POST', `${path}/upsert`, { body });
const post = async (path: string, body: unknown, client = api.tenant.client) =>
  (await client('POST', path, { body })).body.data;
const get = async (path: string, id: string) => (await api.tenant.client('GET', `${path}/${id}`)).body.data;
const eventsOf = async (path: string, id: string) =>
  (await api.tenant.client('GET', `${path}/${id}/history`)).body.data as { type: string; changed?: string[] }[];

test('B2.1: a record is created, then unchanged, then updated; only the update changes updated_at', async () => {
  const body = { match: { domain: 'first.example' }, set: { account_name: 'First', city: 'Bern' } };
  const created = await upsert(accounts, body);
  expect(created).toMatchObject({
    status: 201,
    body: { data: { domain: 'first.example' }, meta: { action: 'created' } },
  });
  expect(created.headers.get('etag')).toBeTruthy();
  const again = await upsert(accounts, { ...body, match: { domain: 'FIRST.example' } });
  expect([again.status, again.body]).toEqual([200, { data: created.body.data, meta: { action: 'unchanged' } }]);
  const set = { account_name: 'First', city: 'Basel', tags: ['x'] };
  const updated = await upsert(accounts, { ...body, set });
  expect(updated).toMatchObject({
    status: 200,
    body: { data: set, meta: { action: 'updated', changed: ['city', 'tags'] } },
  });
  const { id, updated_at: before } = created.body.data;
  expect(updated.body.data.updated_at > before).toBe(true);
  expect((await eventsOf(accounts, id)).map(({ type, changed }) => [type, changed])).toEqual([
    ['account.created', undefined],
    ['account.updated', ['city', 'tags']],
  ]);
});

test('B2.2: fifty concurrent upserts with the same values create one record, even if they match by different values', async () => {
  const [domain, crm_id] = ['one.example', 'crm-one'];
  const set = { account_name: 'One', domain, crm_id };
  const matches = Array.from({ length: 50 }, (_, i) => (i % 2 ? { domain } : { crm_id }));
  const all = await Promise.all(matches.map((match) => upsert(accounts, { match, set })));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(49);
  expect(new Set(all.map(({ body }) => body.data.id)).size).toBe(1);
  expect((await api.tenant.client('GET', `${accounts}?domain=${domain}`)).body).toMatchObject({
    total: 1,
    data: [{ domain, crm_id }],
  });
});

test('B2.3: if several records match, nothing changes, and the error lists their ids', async () => {
  const twins = [await post(accounts, twin), await post(accounts, twin)];
  const response = await upsert(accounts, { match: { domain: twin.domain }, set: { city: 'Bern' } });
  expect(response).toMatchObject({ status: 409, error: { error: 'ambiguous_match' } });
  expect(response.body).toMatchObject({ candidate_ids: twins.map(({ id }) => id), candidate_count: 2 });
  expect(await Promise.all(twins.map(({ id }) => get(accounts, id)))).toEqual(twins);
  const named = await upsert(accounts, { match: { id: twins[1].id }, set: { city: 'Bern' } });
  expect(named.body).toMatchObject({ data: { id: twins[1].id, city: 'Bern' }, meta: { action: 'updated' } });
});

const twin = { account_name: 'Twin', domain: 'twin.example' };

test('lists ten of many matching records, and counts all of them', async () => {
  for (let i = 0; i < 12; i++) await post(accounts, { account_name: 'Dozen', domain: `${i}.example` });
  const { body } = await upsert(accounts, { match: { account_name: 'DOZEN' } });
  expect([body.candidate_ids.length, body.candidate_count]).toEqual([10, 12]);
});

test('B2.4: only an upsert sets crm_id, and another organization has its own', async () => {
  const { id } = await post(accounts, { account_name: 'Linked', crm_id: 'ignored' });
  expect(await get(accounts, id)).not.toHaveProperty('crm_id');
  const linked = await upsert(accounts, { match: { id }, set: { crm_id: 'crm-77' } });
  expect(linked.body).toMatchObject({ data: { crm_id: 'crm-77' }, meta: { changed: ['crm_id'] } });
  expect(await get(accounts, id)).toMatchObject({ crm_id: 'crm-77' });
  const theirs = await upsert(accounts, { match: { crm_id: 'crm-77' } }, api.other.client);
  expect(theirs).toMatchObject({ status: 400, error: { details: [{ field: 'set.account_name', code: 'required' }] } });
  const unlinked = await upsert(accounts, { match: { crm_id: 'crm-77' }, set: { crm_id: null } });
  expect(unlinked.body.data).not.toHaveProperty('crm_id');
});

test('a mode restricts the permitted actions', async () => {
  const match = { email: 'mode@a.example' };
  const set = { first_name: 'Ada', last_name: 'L' };
  const absent = await upsert(people, { match, set, mode: 'update_only' });
  expect(absent).toMatchObject({ status: 404, error: { error: 'not_found' } });
  const created = await upsert(people, { match, set, mode: 'create_only' });
  expect(created.status).toBe(201);
  const exists = await upsert(people, { match, set, mode: 'create_only' });
  expect(exists).toMatchObject({ status: 409, error: { error: 'already_exists' } });
  expect(exists.body).toMatchObject({ candidate_ids: [created.body.data.id], candidate_count: 1 });
  expect((await upsert(people, { match, set, mode: 'update_only' })).body.meta).toEqual({ action: 'unchanged' });
});

test.each(['upsert', 'create_only', 'update_only'])(
  'an id that matches nothing is not found, in the mode %s',
  async (mode) => {
    const { id } = await post(people, { first_name: 'T', last_name: 'L' }, api.other.client);
    for (const unknown of [id, api.tenant.orgId]) {
      const set = { first_name: 'Ada', last_name: 'L' };
      expect(await upsert(people, { match: { id: unknown }, set, mode })).toMatchObject({ status: 404 });
    }
  },
);

test('a missing reference is 400 before 404 and 409, alone and in a batch', async () => {
  const email = 'several@refused.example';
  const person = { first_name: 'Ada', last_name: 'Lovelace' };
  const { id } = await post(people, { ...person, email: 'one@refused.example' });
  for (let i = 0; i < 2; i++) await post(people, { ...person, email });
  const missing = api.other.ids.account;
  const refused: [object, string, number][] = [
    [{ match: { id: missing }, set: { account_id: missing } }, 'set.account_id', 404],
    [
      { match: { email: 'none@refused.example' }, mode: 'update_only', fill: { account_id: missing } },
      'fill.account_id',
      404,
    ],
    [{ match: { email }, set: { account_id: missing } }, 'set.account_id', 409],
    [{ match: { id }, mode: 'create_only', create: { ...person, account_id: missing } }, 'create.account_id', 409],
  ];
  for (const [body, field, otherwise] of refused) {
    const details = [expect.objectContaining({ in: 'body', field, code: 'invalid_reference' })];
    const { status, error } = await upsert(people, body);
    expect([status, error?.['details']]).toEqual([400, details]);
    const batch = await api.tenant.client('POST', `${people}/batch`, { body: { operation: 'upsert', items: [body] } });
    expect(batch.body.data).toMatchObject([{ status: 400, error: { details } }]);
    const valid = JSON.parse(JSON.stringify(body).replace(`"account_id":"${missing}"`, '"account_id":null')) as object;
    expect((await upsert(people, valid)).status).toBe(otherwise);
  }
});

test("B2.6: a run's upsert and fifty concurrent upserts of the API create one contact with a new email address", async () => {
  const match = { email: 'both@a.example' };
  const set = { first_name: 'Ada', last_name: 'L' };
  const run = runActor(api.tenant.orgId, { runId: api.tenant.orgId, workflow: 'w', step: 's', depth: 0 });
  const runs = new Executor(api.db.database);
  const [byRun, ...byApi] = await Promise.all([
    runs.run(upsertUnit(run, contacts, readUpsert(contacts, { match, set }))),
    ...Array.from({ length: 50 }, () => upsert(people, { match: { email: 'BOTH@a.example' }, set })),
  ]);
  expect(new Set([byRun.record.id, ...byApi.map(({ body }) => body.data.id)]).size).toBe(1);
});

test('upserts of values that another transaction has locked wait alone and delay no others', async () => {
  const lock = statement<never>('', 'SELECT id FROM accounts WHERE id = $1 FOR UPDATE');
  const { id } = await post(accounts, { account_name: 'Held', domain: 'held.example' });
  let late: ReturnType<typeof upsert> | undefined;
  await api.db.database.transaction(async (db) => {
    await db.query(lock, [id]);
    late = upsert(accounts, { match: { domain: 'held.example' }, set: { city: 'Late' } });
    const others = Array.from({ length: 20 }, (_, i) => ({
      match: { domain: `free${i}.example` },
      set: { account_name: 'F' },
    }));
    const done = await Promise.all(others.map((body) => upsert(accounts, body)));
    expect(done.map(({ status }) => status)).toEqual(others.map(() => 201));
  });
  expect((await late)?.body).toMatchObject({ data: { id, city: 'Late' }, meta: { action: 'updated' } });
});

describe('refused, and nothing done', () => {
  test.each([
    [{}, ['match required']],
    [{ match: null }, ['match null_not_allowed']],
    [{ match: {} }, ['match required']],
    [{ match: [] }, ['match invalid_type']],
    [{ match: { domain: '' } }, ['match.domain too_short']],
    [{ match: { domain: null } }, ['match.domain null_not_allowed']],
    [{ match: { domain: 'a\u0000' } }, ['match.domain invalid_format']],
    [{ match: { domain: 'x'.repeat(2_049) } }, ['match.domain too_long']],
    [{ match: { city: 'Bern' } }, ['match.city unknown_field']],
    [{ match: { id: 'nonsense' } }, ['match.id invalid_format']],
    [{ match: { crm_id: 5 } }, ['match.crm_id invalid_type']],
    [{ match: { domain: 'a.example' }, set: null }, ['set null_not_allowed']],
    [{ match: { domain: 'a.example' }, set: { crm_id: '' } }, ['set.crm_id too_short']],
    [
      { match: { domain: 'a.example' }, set: { city: 5, nope: 1 } },
      ['set.city invalid_type', 'set.nope unknown_field'],
    ],
    [{ match: { domain: 'a.example' }, mode: null }, ['mode null_not_allowed']],
    [{ match: { domain: 'a.example' }, mode: 'replace' }, ['mode invalid_enum']],
    [{ match: { domain: 'a.example' } }, ['set.account_name required']],
    [{ match: { domain: 'a.example' }, set: {}, nope: 1 }, ['nope unknown_field']],
  ])('refuses %j', async (body, problems) => {
    const total = async () => (await api.tenant.client('GET', `${accounts}?limit=1`)).body.total as number;
    const before = await total();
    const { status, error } = await upsert(accounts, body);
    expect([status, error.details?.map(({ field, code }) => `${field} ${code}`).toSorted()]).toEqual([400, problems]);
    expect(await total()).toBe(before);
  });

  test('missing references are reported with their paths, together with all other problems', async () => {
    const set = { opportunity_name: 'Deal', account_id: api.other.ids.account, stage_id: api.other.ids.stage };
    for (const [more, expected] of [
      [{}, ['set.account_id', 'set.stage_id']],
      [{ amount: 'x' }, ['set.account_id', 'set.amount', 'set.stage_id']],
    ] as const) {
      const body = { match: { crm_id: 'deal-1' }, set: { ...set, ...more } };
      const { status, error } = await upsert('/v1/records/opportunities', body);
      expect([status, error.details?.map(({ field }) => field).toSorted()]).toEqual([400, expected]);
    }
  });

  test('If-Match', async () => {
    const response = await api.tenant.client('POST', `${accounts}/upsert`, {
      body: { match: { domain: 'if.example' }, set: { account_name: 'If' } },
      headers: { 'If-Match': '"x"' },
    });
    expect(response).toMatchObject({ status: 400, error: { details: [{ in: 'header', field: 'If-Match' }] } });
  });
});
