import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

interface Options {
  headers?: Record<string, string>;
  query?: string;
  path?: string;
}

const batch = (
  operation: string,
  items: unknown,
  more: object = {},
  { headers, query = '', path = accounts }: Options = {},
) =>
  api.tenant.client('POST', `${path}/batch${query}`, {
    body: { operation, items, ...more },
    ...(headers && { headers }),
  });
const post = async (body: unknown, client = api.tenant.client) => (await client('POST', accounts, { body })).body.data;
const total = async () => (await api.tenant.client('GET', `${accounts}?limit=1`)).body.total as number;
const latestEvent = async () =>
  (await api.tenant.client('GET', '/v1/events?order=desc&limit=1')).body.data[0].id as string;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ account_name: `Batch ${i}` }));
const statuses = ({ body }: { body: { data: { status: number }[] } }) => body.data.map(({ status }) => status);

test('five hundred records are created in the order of the items, each with its event', async () => {
  const before = await total();
  const answer = await batch('create', numbered(500));
  expect(answer).toMatchObject({ status: 200, body: { succeeded: 500, failed: 0 } });
  const { data } = answer.body;
  expect(
    data.map(({ index, status, data: record, meta }: never) => [
      index,
      status,
      (record as { account_name: string }).account_name,
      meta,
    ]),
  ).toEqual(numbered(500).map(({ account_name: name }, i) => [i, 201, name, { action: 'created' }]));
  expect(await total()).toBe(before + 500);
  const history = await api.tenant.client('GET', `${accounts}/${data[499].data.id}/history`);
  expect(history.body.data).toHaveLength(1);
  expect(history.body.data[0].request_id).toBe(answer.headers.get('x-request-id'));
});

/** Bodies, and the items that say the same. */
const bodies = [
  { account_name: 'Good', city: 'Bern' },
  { account_name: '' },
  {},
  { account_name: 'x', nonsense: 1 },
  { account_name: 'y\u0000' },
  [],
  'text',
  null,
  { account_name: 'z', tags: ['a', ''] },
];

test('an item has the status and the body of the single call', async () => {
  const { body } = await batch('create', bodies);
  for (const [i, given] of bodies.entries()) {
    const alone = await api.tenant.client('POST', accounts, { body: JSON.stringify(given) });
    const item = body.data[i];
    expect(item.status).toBe(alone.status);
    const { request_id: _id, doc_url: _url, ...answer } = alone.body;
    const expected = alone.status === 201 ? Object.keys(answer.data) : answer;
    expect(alone.status === 201 ? Object.keys(item.data) : item.error).toEqual(expected);
  }
  expect([body.succeeded, body.failed]).toEqual([1, bodies.length - 1]);
});

test('all items together name a thousand problems, and each its first', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 240 }, (_, i) => [`k${i}`, 1]));
  const { body } = await batch(
    'create',
    Array.from({ length: 500 }, () => ({ account_name: 'Many', ...unknown })),
  );
  expect(body.failed).toBe(500);
  const counts = body.data.map(({ error }: { error: { details: unknown[] } }) => error.details.length);
  expect(counts.slice(0, 6)).toEqual([240, 240, 240, 240, 40, 1]);
  expect(body.data[499].error).toMatchObject({ message: '240 fields are invalid.', details: [{ field: 'k0' }] });
});

test('an item of a change has the status and the body of the single call', async () => {
  const [record, other] = [await post({ account_name: 'Changed' }), await post({ account_name: 'Kept' })];
  const theirs = await post({ account_name: 'Theirs' }, api.other.client);
  const { headers } = await api.tenant.client('GET', `${accounts}/${record.id}`);
  const etag = headers.get('etag')!;
  const { body } = await batch('update', [
    { id: record.id, set: { city: 'Bern' }, if_match: etag },
    { id: record.id.toUpperCase(), set: { city: 'Basel' }, if_match: etag },
    { id: other.id, set: {} },
    { id: theirs.id, set: { city: 'Mine' } },
    { id: 'nope', set: {} },
    { set: {} },
    { id: record.id },
    { id: record.id, set: { account_name: null } },
    { id: record.id, set: {}, if_match: 'no etag' },
    { id: 5, set: {} },
  ]);
  expect(statuses({ body })).toEqual([200, 412, 200, 404, 404, 400, 400, 400, 400, 400]);
  expect(body.data[0]).toMatchObject({ data: { city: 'Bern' }, meta: { action: 'updated', changed: ['city'] } });
  expect(body.data[1].error.error).toBe('precondition_failed');
  expect(body.data[2].meta).toEqual({ action: 'unchanged' });
  const fields = body.data
    .slice(5)
    .map(({ error }: { error: { details: { field: string }[] } }) => error.details[0]!.field);
  expect(fields).toEqual(['id', 'set', 'set.account_name', 'if_match', 'id']);
  const after = await api.other.client('GET', `${accounts}/${theirs.id}`);
  expect(after.body.data).toEqual(theirs);
});

test('items of one record are done in their order, and the later sees the earlier', async () => {
  const { id } = await post({ account_name: 'Ordered' });
  const items = Array.from({ length: 150 }, (_, i) => ({ id, set: { city: `City ${i}` } }));
  const { body } = await batch('update', items);
  expect(body.data.map(({ data }: { data: { city: string } }) => data.city)).toEqual(items.map(({ set }) => set.city));
  const upserts = Array.from({ length: 20 }, (_, i) => ({
    match: { domain: 'ordered.example' },
    set: { account_name: `Name ${i}` },
  }));
  for (const more of [{}, { atomic: true }]) {
    const upserted = await batch('upsert', upserts, more);
    expect(new Set(upserted.body.data.map(({ data }: { data: { id: string } }) => data.id)).size).toBe(1);
    expect(upserted.body.data.at(-1).data.account_name).toBe('Name 19');
  }
});

const ways: [string, object, Options?][] = [
  ['by items', {}],
  ['atomic', { atomic: true }],
  ['named', {}, { headers: { 'Idempotency-Key': 'in-order' } }],
];

test.each(ways)(
  'upserts of one record that are found by different values are done in their order: %s',
  async (...way) => {
    const [name, more, options] = way;
    const [domain, crmId] = [`${name.replace(' ', '-')}.example`, `crm ${name}`];
    const { id } = await post({ account_name: 'Known', domain: `known.${domain}`, city: 'Bern' });
    const items = [
      { match: { domain }, set: { account_name: 'First' } },
      { match: { domain }, set: { crm_id: crmId } },
      { match: { crm_id: crmId }, set: { account_name: 'Third' } },
      { match: { id }, set: { city: 'Basel' } },
      { match: { domain: `known.${domain}` }, set: { city: 'Bern' } },
    ];
    const { body } = await batch('upsert', items, more, options);
    const actions = body.data.map(({ meta }: { meta: { action: string } }) => meta.action);
    expect(actions).toEqual(['created', 'updated', 'updated', 'updated', 'updated']);
    expect((await api.tenant.client('GET', `${accounts}?domain=${domain}`)).body).toMatchObject({
      total: 1,
      data: [{ account_name: 'Third', crm_id: crmId }],
    });
    expect((await api.tenant.client('GET', `${accounts}/${id}`)).body.data.city).toBe('Bern');
  },
);

test('an upsert in a batch is created, updated or unchanged', async () => {
  const items = [
    { match: { domain: 'b1.example' }, set: { account_name: 'B1' } },
    { match: { domain: 'b1.example' }, set: { account_name: 'B1' } },
    { match: { domain: 'b1.example' }, set: { city: 'Bern' } },
    { match: { domain: 'b1.example' }, mode: 'create_only' },
    { match: {} },
  ];
  const { body } = await batch('upsert', items);
  expect(statuses({ body })).toEqual([201, 200, 200, 409, 400]);
  expect(body.data.slice(0, 3).map(({ meta }: { meta: { action: string } }) => meta.action)).toEqual([
    'created',
    'unchanged',
    'updated',
  ]);
  expect(body.data[3].error).toMatchObject({ error: 'already_exists', candidate_count: 1 });
});

describe('an atomic batch', () => {
  test.each([0, 1, 250, 499])('with a fault at %i leaves nothing, and no event', async (at) => {
    const [before, event] = [await total(), await latestEvent()];
    const items = numbered(500).map((item, i) => (i === at ? { account_name: '' } : item));
    const answer = await batch('create', items, { atomic: true });
    expect(answer).toMatchObject({ status: 409, error: { error: 'batch_aborted' } });
    expect(answer.body.results).toEqual([
      { index: at, status: 400, error: expect.objectContaining({ error: 'validation_error' }) },
    ]);
    expect([await total(), await latestEvent()]).toEqual([before, event]);
  });

  test.each([0, 250, 499])('that the database refuses at %i leaves nothing, and no event', async (at) => {
    const [before, event] = [await total(), await latestEvent()];
    const domain = `twice-${at}.example`;
    await post({ account_name: 'Twice', domain });
    await post({ account_name: 'Twice', domain });
    const items = numbered(500).map((set, i) => ({ match: { domain: i === at ? domain : `${i}.${domain}` }, set }));
    const answer = await batch('upsert', items, { atomic: true });
    expect(answer.body.results).toEqual([
      { index: at, status: 409, error: expect.objectContaining({ error: 'ambiguous_match' }) },
    ]);
    expect(await total()).toBe(before + 2);
    expect(await latestEvent()).not.toBe(event);
    expect((await api.tenant.client('GET', `${accounts}?domain=0.${domain}`)).body.total).toBe(0);
  });

  test('names all that validation finds', async () => {
    const answer = await batch('create', [{}, { account_name: 'fine' }, []], { atomic: true });
    expect(answer.body.results.map(({ index }: { index: number }) => index)).toEqual([0, 2]);
  });

  test('without a fault is done whole', async () => {
    const answer = await batch('create', numbered(500), { atomic: true });
    expect(answer.body).toMatchObject({ succeeded: 500, failed: 0 });
  });
});

test('two batches over the same records in opposite orders both end', async () => {
  const made = await batch('create', numbered(500));
  const ids = made.body.data.map(({ data }: { data: { id: string } }) => data.id) as string[];
  for (const atomic of [false, true]) {
    const patches = (order: readonly string[], city: string) => order.map((id) => ({ id, set: { city } }));
    const both = await Promise.all([
      batch('update', patches(ids, 'forward'), { atomic }),
      batch('update', patches(ids.toReversed(), 'back'), { atomic }),
    ]);
    for (const { body } of both) expect(body).toMatchObject({ succeeded: 500, failed: 0 });
  }
});

test('a batch under an Idempotency-Key is done once', async () => {
  const before = await total();
  const headers = { 'Idempotency-Key': 'one batch' };
  const quoted = { 'Idempotency-Key': '"one-batch"' };
  expect((await batch('create', numbered(3), {}, { headers })).status).toBe(400);
  const all = await Promise.all(
    Array.from({ length: 5 }, () => batch('create', [...numbered(300), {}], {}, { headers: quoted })),
  );
  const done = all.filter(({ status }) => status === 200);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect(done[0]!.body).toMatchObject({ succeeded: 300, failed: 1 });
  const again = await batch('create', [...numbered(300), {}], {}, { headers: quoted });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([done[0]!.text, 'true']);
  expect(await total()).toBe(before + 300);
});

test.each([
  ['no items', []],
  ['501 items', numbered(501)],
  ['something else', { 0: {} }],
])('%s: 400', async (_what, items) => {
  const { status, error } = await batch('create', items);
  expect([status, error.details?.[0]?.field]).toEqual([400, 'items']);
});

test.each(['delete', 'merge', '', null])('the operation %j: 400', async (operation) => {
  const { status, error } = await batch(operation as string, [{}]);
  expect([status, error.details?.[0]?.field]).toEqual([400, 'operation']);
});

test('activities are created together, and what they name is looked for', async () => {
  const path = '/v1/activities/custom';
  const { contact } = api.tenant.ids;
  const items = [
    { content: 'Called', contact_ids: [contact] },
    { content: 'Theirs', contact_ids: [api.other.ids.contact] },
  ];
  const { body } = await batch('create', items, {}, { path });
  expect(statuses({ body })).toEqual([201, 400]);
  expect(body.data[1].error.details).toMatchObject([{ field: 'contact_ids', code: 'invalid_reference' }]);
  expect((await batch('update', [{}], {}, { path })).status).toBe(400);
});

test('opportunities follow their rules in a batch, and references are checked for each', async () => {
  const path = '/v1/records/opportunities';
  const { account, stage } = api.tenant.ids;
  const deal = { opportunity_name: 'Deal', account_id: account };
  const items = [
    { ...deal, stage_id: stage },
    { ...deal, account_id: api.other.ids.account },
    deal,
    { ...deal, stage_id: stage, pipeline: 'Other' },
  ];
  const { body } = await batch('create', items, {}, { path });
  expect(statuses({ body })).toEqual([201, 400, 201, 400]);
  expect(body.data[0].data.pipeline).toBeTruthy();
  const update = [
    { id: body.data[2].data.id, set: { stage_id: stage } },
    { id: body.data[0].data.id, set: { pipeline: 'Other' } },
  ];
  for (const more of [{}, { atomic: false }]) {
    const changed = await batch('update', update, more, { path });
    expect(statuses(changed)).toEqual([200, 400]);
    expect(changed.body.data[0].data.pipeline).toBe(body.data[0].data.pipeline);
  }
});

test('the rules of an opportunity see what an item before has made of it', async () => {
  const path = '/v1/records/opportunities';
  const { account, stage } = api.tenant.ids;
  const { body } = await batch('create', [{ opportunity_name: 'Deal', account_id: account }], {}, { path });
  const { id } = body.data[0].data;
  const items = [
    { id, set: { stage_id: stage } },
    { id, set: { pipeline: 'Other' } },
  ];
  const headers = { 'Idempotency-Key': 'rules-in-order' };
  expect(statuses(await batch('update', items, {}, { path, headers }))).toEqual([200, 400]);
  const { stage_id, pipeline } = (await api.tenant.client('GET', `${path}/${id}`)).body.data;
  expect([stage_id, pipeline]).toEqual([stage, 'Sales']);
});
