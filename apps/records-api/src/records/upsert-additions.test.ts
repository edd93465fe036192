import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const people = '/v1/records/contacts';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.tenant.client(method, path, { body, headers });
const upsert = (body: unknown, path = people) => send('POST', `${path}/upsert`, body);
const post = async (fields: object, path = people) =>
  (await send('POST', path, { first_name: 'Ada', last_name: 'L', ...fields })).body.data as { id: string };
const get = async ({ id }: { id: string }) => (await send('GET', `${people}/${id}`)).body.data;
const eventsOf = async ({ id }: { id: string }) =>
  (await send('GET', `${people}/${id}/history`)).body.data as Record<string, unknown>[];

const body = {
  match: { email: 'kj@nasa.example' },
  create: { first_name: 'Katherine', last_name: 'Johnson' },
  fill: { company: 'NASA' },
  add: { tags: ['customer'] },
  set: { icp_label: 'A' },
};

test('a known person keeps name, company and tags; the same call again changes nothing', async () => {
  const known = {
    first_name: 'K.',
    last_name: 'J.',
    email: 'KJ@nasa.example',
    company: 'NACA',
    tags: ['vip', 'board'],
  };
  const contact = await post(known);
  const updated = await upsert(body);
  expect(updated).toMatchObject({
    status: 200,
    body: {
      data: { ...known, tags: ['vip', 'board', 'customer'], icp_label: 'A' },
      meta: { action: 'updated', changed: ['tags', 'icp_label'] },
    },
  });
  const again = await upsert(body);
  expect([again.status, again.body]).toEqual([200, { data: updated.body.data, meta: { action: 'unchanged' } }]);
  expect(await eventsOf(contact)).toHaveLength(2);
});

test('a new record gets the values of all members; a later member wins, and `add` appends to the earlier ones', async () => {
  const created = await upsert({
    match: { email: 'order@a.example' },
    create: { first_name: 'Create', last_name: 'Create', title: 'Create', city: 'Create', tags: ['a', 'b'] },
    fill: { last_name: 'Fill', state: '' },
    add: { tags: ['c', 'b', 'c'] },
    set: { title: 'Set' },
  });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    data: { first_name: 'Create', last_name: 'Fill', title: 'Set', city: 'Create', state: '', tags: ['a', 'b', 'c'] },
    meta: { action: 'created' },
  });
});

test('`fill` treats null, an empty string and an empty list as no value, both in the record and in the request', async () => {
  const contact = await post({ email: 'fill@a.example', title: '', city: null, phone: '5' });
  const fill = {
    title: 'Dr',
    city: 'Bern',
    tags: ['x'],
    phone: '6',
    state: '',
    country: null,
    email: 'other@a.example',
  };
  const filled = await upsert({ match: { email: 'fill@a.example' }, fill });
  expect(filled.body.meta).toEqual({ action: 'updated', changed: ['title', 'city', 'tags'] });
  expect(await get(contact)).toMatchObject({ title: 'Dr', city: 'Bern', tags: ['x'], phone: '5' });
  const { state, country } = await get(contact);
  expect([state, country]).toEqual([undefined, undefined]);
});

test('`fill` links a record to another CRM once', async () => {
  const contact = await post({});
  const link = (crm_id: string) => upsert({ match: { id: contact.id }, fill: { crm_id } });
  expect((await link('crm-1')).body.meta.changed).toEqual(['crm_id']);
  expect((await link('crm-2')).body).toMatchObject({ data: { crm_id: 'crm-1' }, meta: { action: 'unchanged' } });
});

test('fifty concurrent upserts with the same value in `create`, `fill` or `set` create one record', async () => {
  const name = { first_name: 'Ada', last_name: 'L' };
  const parts = ['create', 'fill', 'set'] as const;
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      const email = { email: 'shared@a.example' };
      const byCrm = { match: { crm_id: 'shared-crm' }, [parts[i % 3]!]: { ...name, ...email } };
      return upsert(i % 2 ? byCrm : { match: email, create: name, set: { crm_id: 'shared-crm' } });
    }),
  );
  expect(new Set(all.map(({ body: written }) => written.data.id)).size).toBe(1);
});

test('B2.8: after 1,000 concurrent upserts that each add a different tag to one of 10 contacts, every tag is there once', async () => {
  const contacts = await Promise.all(Array.from({ length: 10 }, (_, i) => post({ email: `b28-${i}@a.example` })));
  const all = await Promise.all(
    Array.from({ length: 1_000 }, (_, i) => {
      // The two kinds of match share no key, so only the row lock separates these upserts.
      const match = i % 3 ? { email: `b28-${i % 10}@a.example` } : { id: contacts[i % 10]!.id };
      return upsert({ match, add: { tags: [`tag ${Math.floor(i / 10)}`] } });
    }),
  );
  expect(all.filter(({ status }) => status !== 200)).toEqual([]);
  const expected = Array.from({ length: 100 }, (_, i) => `tag ${i}`).toSorted();
  for (const contact of contacts) expect((await get(contact)).tags.toSorted()).toEqual(expected);
  const full = await upsert({ match: { id: contacts[0]!.id }, add: { tags: ['one more'] } });
  expect(full).toMatchObject({ status: 400, error: { details: [{ field: 'add.tags', code: 'too_many' }] } });
});

test('B2.9: `fill` against a concurrent PATCH of the same field leaves the value of the PATCH', async () => {
  const rounds = Array.from({ length: 40 }, async (_, i) => {
    const contact = await post({ email: `b29-${i}@a.example` });
    const filling = () => upsert({ match: { email: `b29-${i}@a.example` }, fill: { title: 'Filled' } });
    const patching = () => send('PATCH', `${people}/${contact.id}`, { title: 'Patched' });
    const responses = await Promise.all([filling(), patching(), filling()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get(contact)).title).toBe('Patched');
  });
  await Promise.all(rounds);
});

describe('several match', () => {
  const twins = async (email: string, count = 2) => {
    const all = [];
    for (let i = 0; i < count; i++) all.push(await post({ email }));
    return all;
  };

  test('B2.10: `oldest` takes the same record each time, and its event says how many records matched', async () => {
    const [oldest, other] = await twins('b210@a.example');
    const match = { email: 'b210@a.example' };
    for (const title of ['First', 'Second', 'Second']) {
      const { body: written } = await upsert({ match, set: { title }, on_several: 'oldest' });
      expect(written).toMatchObject({ data: { id: oldest!.id, title }, meta: { candidate_count: 2 } });
    }
    expect((await eventsOf(oldest!)).map((event) => event['candidate_count'])).toEqual([undefined, 2, 2]);
    expect(await eventsOf(other!)).toHaveLength(1);
    const stored = (await send('GET', `/v1/events?record_id=${oldest!.id}`)).body.data as object[];
    expect(stored.map((event) => 'details' in event)).toEqual([false, false, false]);
  });

  test.each([2, 12])('`newest` takes the last of %i matching records', async (count) => {
    const email = `newest-${count}@a.example`;
    const all = await twins(email, count);
    const { body: written } = await upsert({ match: { email }, set: { title: 'New' }, on_several: 'newest' });
    expect(written).toMatchObject({
      data: { id: all.at(-1)!.id },
      meta: { action: 'updated', candidate_count: count },
    });
  });

  test('`fail` is the default, and create_only fails regardless of on_several', async () => {
    const all = await twins('fail@a.example');
    const match = { email: 'fail@a.example' };
    for (const more of [{}, { on_several: 'fail' }])
      expect(await upsert({ match, ...more })).toMatchObject({ status: 409, error: { error: 'ambiguous_match' } });
    const only = await upsert({ match, mode: 'create_only', on_several: 'oldest' });
    expect(only).toMatchObject({ status: 409, error: { error: 'already_exists' } });
    expect(only.body.candidate_ids).toEqual(all.map(({ id }) => id));
  });

  test('a single match is counted, a created record is not, and neither event contains the number', async () => {
    const match = { email: 'single@a.example' };
    const name = { first_name: 'Ada', last_name: 'L' };
    const created = await upsert({ match, create: name, on_several: 'newest' });
    expect(created.body.meta).toEqual({ action: 'created' });
    const found = await upsert({ match, set: { title: 'Dr' }, on_several: 'newest' });
    expect(found.body.meta).toEqual({ action: 'updated', changed: ['title'], candidate_count: 1 });
    for (const event of await eventsOf(created.body.data)) expect(event).not.toHaveProperty('candidate_count');
    expect((await upsert({ match, set: { title: 'Prof' } })).body.meta).not.toHaveProperty('candidate_count');
  });
});

describe('refused, and nothing done', () => {
  test.each([
    [{ fill: { title: 'a' }, set: { title: 'b' } }, ['fill.title conflicting_fields']],
    [{ add: { tags: ['a'] }, set: { tags: null } }, ['add.tags conflicting_fields']],
    [{ add: { tags: ['a'] }, fill: { tags: ['b'] } }, ['add.tags conflicting_fields']],
    [{ fill: { title: 5 }, set: { title: 'b' } }, ['fill.title conflicting_fields', 'fill.title invalid_type']],
    [{ add: { title: 'a' } }, ['add.title unknown_field']],
    [{ add: { tags: null } }, ['add.tags null_not_allowed']],
    [{ add: { tags: [''] } }, ['add.tags.0 too_short']],
    [{ create: { nope: 1 } }, ['create.nope unknown_field']],
    [{ create: null }, ['create null_not_allowed']],
    [{ fill: { first_name: null } }, ['fill.first_name null_not_allowed']],
    [{ on_several: 'first' }, ['on_several invalid_enum']],
    [{ create: { first_name: 'A' } }, ['create.last_name required']],
    [
      { create: { tags: Array.from({ length: 100 }, (_, i) => `${i}`) }, add: { tags: ['a'] }, set: {} },
      ['add.tags too_many', 'create.first_name required', 'create.last_name required'],
    ],
  ])('refuses %j', async (more, problems) => {
    const { status, error } = await upsert({ match: { email: 'refused@a.example' }, ...more });
    expect([status, error.details?.map(({ field, code }) => `${field} ${code}`).toSorted()]).toEqual([400, problems]);
    expect((await send('GET', `${people}?email=refused@a.example`)).body.total).toBe(0);
  });

  test('read-only fields may appear in several members; a field in both `create` and `set` is not a conflict', async () => {
    const { id } = await post({ email: 'twice@a.example' });
    const response = await upsert({ match: { id }, create: { title: 'a' }, fill: { id }, set: { id, title: 'b' } });
    expect(response.body).toMatchObject({ data: { title: 'b' }, meta: { changed: ['title'] } });
  });

  test('missing references are reported with their paths in every member, together with all other problems', async () => {
    const ids = api.other.ids;
    const given = {
      match: { crm_id: 'deal-2' },
      create: { opportunity_name: 'Deal', account_id: ids.account },
      fill: { stage_id: ids.stage },
    };
    for (const [more, expected] of [
      [{}, ['create.account_id', 'fill.stage_id']],
      [{ set: { amount: 'x' } }, ['create.account_id', 'fill.stage_id', 'set.amount']],
    ] as const) {
      const { status, error } = await upsert({ ...given, ...more }, '/v1/records/opportunities');
      expect([status, error.details?.map(({ field }) => field).toSorted()]).toEqual([400, expected]);
      const items = [{ ...given, ...more }];
      const batch = await send('POST', '/v1/records/opportunities/batch', { operation: 'upsert', items });
      const { details } = batch.body.data[0].error as { details: { field: string }[] };
      expect(details.map(({ field }) => field).toSorted()).toEqual(expected);
    }
  });
});

test('a filled stage also sets the pipeline of an opportunity, and does not change an opportunity that has a stage', async () => {
  const { account, stage } = api.tenant.ids;
  const opportunities = '/v1/records/opportunities';
  const match = { crm_id: 'staged' };
  const create = { opportunity_name: 'Deal', account_id: account };
  const created = await upsert({ match, create }, opportunities);
  const filled = await upsert({ match, fill: { stage_id: stage } }, opportunities);
  expect(filled.body.meta.changed.toSorted()).toEqual(['pipeline', 'stage_id']);
  const again = await upsert({ match, fill: { stage_id: api.other.ids.stage, pipeline: 'Other' } }, opportunities);
  expect(again.body).toEqual({ data: { ...filled.body.data }, meta: { action: 'unchanged' } });
  expect(filled.body.data.id).toBe(created.body.data.id);
});

describe('all ways of sending', () => {
  const name = { first_name: 'Ada', last_name: 'L' };

  test('a dry run is answered like the real call, and leaves nothing', async () => {
    const contact = await post({ email: 'dry@a.example', tags: ['a'] });
    const given = {
      match: { email: 'dry@a.example' },
      fill: { city: 'Bern' },
      add: { tags: ['b'] },
      on_several: 'oldest',
    };
    const before = await get(contact);
    const tried = await send('POST', `${people}/upsert?dry_run=true`, given);
    expect(await get(contact)).toEqual(before);
    const done = await upsert(given);
    expect(tried.body.meta).toEqual({ ...done.body.meta, dry_run: true });
    expect(tried.body.data).toMatchObject({ city: 'Bern', tags: ['a', 'b'] });
  });

  test('a repeated request with the same key gets the first response, and adds nothing', async () => {
    const given = { match: { email: 'keyed@a.example' }, create: name, add: { tags: ['a'] } };
    const key = { 'Idempotency-Key': 'additions-1' };
    const [first, second] = [
      await send('POST', `${people}/upsert`, given, key),
      await send('POST', `${people}/upsert`, given, key),
    ];
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  });

  test.each([
    ['independent', {}, {}],
    ['atomic', { atomic: true }, {}],
    ['keyed', {}, { 'Idempotency-Key': 'additions-batch' }],
  ])(
    'items of one record in an %s batch each add their tag, in order',
    async (kind, more, headers: Record<string, string>) => {
      const items = Array.from({ length: 60 }, (_, i) => ({
        match: { email: `${kind}-${i % 2}@a.example` },
        create: { ...name, title: `Title ${i}` },
        fill: { city: `City ${i}` },
        add: { tags: [`tag ${i}`] },
      }));
      const { body: written } = await send('POST', `${people}/batch`, { operation: 'upsert', items, ...more }, headers);
      expect(written).toMatchObject({ succeeded: 60, failed: 0 });
      for (const parity of [0, 1]) {
        const tags = items.flatMap((item, i) => (i % 2 === parity ? item.add.tags : []));
        const { data } = (await send('GET', `${people}?email=${kind}-${parity}@a.example`)).body;
        expect(data).toEqual([expect.objectContaining({ title: `Title ${parity}`, city: `City ${parity}`, tags })]);
        expect(written.data[parity].meta).toEqual({ action: 'created' });
        expect(written.data[parity + 2].meta).toEqual({ action: 'updated', changed: ['tags'] });
      }
    },
  );
});
