import { expect, test } from 'vitest';
import { accountsPath, statuses, setUpBatches } from './batch.harness.ts';

const { api, ask, batch, post } = setUpBatches();

/** Bodies of single calls, which are also the items of the batch. */
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

test('B6.1: an item of a create has the status and the body of the single call', async () => {
  const { body } = await batch('create', bodies);
  for (const [i, given] of bodies.entries()) {
    const alone = await ask('POST', accountsPath, { body: JSON.stringify(given) });
    const item = body.data[i];
    expect(item.status).toBe(alone.status);
    const { request_id: _id, doc_url: _url, ...answer } = alone.body;
    const expected = alone.status === 201 ? Object.keys(answer.data) : answer;
    expect(alone.status === 201 ? Object.keys(item.data) : item.error).toEqual(expected);
  }
  expect([body.succeeded, body.failed]).toEqual([1, bodies.length - 1]);
});

test('all items together list a hundred problems, and at least the first of each (found A1)', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 240 }, (_, i) => [`k${i}`, 1]));
  const { body } = await batch(
    'create',
    Array.from({ length: 500 }, () => ({ account_name: 'Many', ...unknown })),
  );
  expect(body.failed).toBe(500);
  const counts = body.data.map(({ error }: { error: { details: unknown[] } }) => error.details.length);
  expect(counts.slice(0, 6)).toEqual([100, 1, 1, 1, 1, 1]);
  expect(body.data[499].error).toMatchObject({ message: '240 fields are invalid.', details: [{ field: 'k0' }] });
});

test('B6.1: an item of a change has the status and the body of the single call', async () => {
  const [record, other] = [await post({ account_name: 'Changed' }), await post({ account_name: 'Kept' })];
  const theirs = await post({ account_name: 'Theirs' }, api().other.client);
  const { headers } = await ask('GET', `${accountsPath}/${record.id}`);
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
  const after = await api().other.client('GET', `${accountsPath}/${theirs.id}`);
  expect(after.body.data).toEqual(theirs);
});

test('B6.1: an item of a change with a malformed id reports the problems of its patch first, as the single call does', async () => {
  const { tenant, other } = api();
  const path = '/v1/records/opportunities';
  const patches = [
    { account_id: other.ids.account },
    { stage_id: tenant.ids.stage, pipeline: 'Another pipeline' },
    { amount: 5 },
    { opportunity_name: null, account_id: other.ids.account },
  ];
  const items = patches.map((set) => ({ id: 'nope', set }));
  const { body } = await batch('update', items, {}, { path });
  for (const [i, patch] of patches.entries()) {
    const { status, error } = await ask('PATCH', `${path}/nope`, { body: patch });
    const item = body.data[i];
    expect([item.status, item.error.message]).toEqual([status, error.message]);
    expect(item.error.details).toEqual(error.details?.map((one) => ({ ...one, field: `set.${one.field}` })));
  }
  expect(statuses({ body })).toEqual([400, 400, 404, 400]);
});

test('an item with a malformed if_match reports it together with its other problems', async () => {
  const fieldsOf = ({ error }: { error: { details: { field: string }[] } }) => error.details.map(({ field }) => field);
  const changes = [{ id: 'nope', set: { account_name: null }, if_match: 'no etag' }];
  expect((await batch('update', changes)).body.data.map(fieldsOf)).toEqual([['set.account_name', 'if_match']]);
  const deletes = [{ if_match: 'no etag' }, { id: 'nope', if_match: 'no etag' }];
  expect((await batch('delete', deletes)).body.data.map(fieldsOf)).toEqual([['id', 'if_match'], ['if_match']]);
});

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

test('an item has the status of a single call, regardless of the items before it', async () => {
  const junk = { account_name: 'Junk', tags: Array.from({ length: 20_000 }, () => ({})) };
  const valid = { account_name: 'Valid', tags: ['kept'] };
  const { body } = await batch('create', [junk, valid, junk, valid]);
  expect(statuses({ body })).toEqual([400, 201, 400, 201]);
  expect(body.data[3].data).toMatchObject(valid);
  const { id } = body.data[1].data;
  const match = { id };
  const upserts = [junk, { match, set: { city: 'Bern' }, create: { tags: [] }, add: { tags: ['added'] } }];
  expect(statuses(await batch('upsert', upserts))).toEqual([400, 200]);
});
