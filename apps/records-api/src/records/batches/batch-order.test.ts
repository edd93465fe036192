import { expect, test } from 'vitest';
import { accountsPath, type BatchOptions, numbered, statuses, setUpBatches } from './batch.harness.ts';

const { api, ask, batch, post } = setUpBatches();

test('items of one record are executed in order, and each sees the effect of the previous ones', async () => {
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

const ways: [string, object, BatchOptions?][] = [
  ['by items', {}],
  ['atomic', { atomic: true }],
  ['named', {}, { headers: { 'Idempotency-Key': 'in-order' } }],
];

test.each(ways)('upserts of one record that is found by different values are executed in order: %s', async (...way) => {
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
  expect((await ask('GET', `${accountsPath}?domain=${domain}`)).body).toMatchObject({
    total: 1,
    data: [{ account_name: 'Third', crm_id: crmId }],
  });
  expect((await ask('GET', `${accountsPath}/${id}`)).body.data.city).toBe('Bern');
});

test('B6.5: two batches with the same five hundred records in opposite orders both end (G4)', async () => {
  const made = await batch('create', numbered(500));
  const ids = made.body.data.map(({ data }: { data: { id: string } }) => data.id) as string[];
  for (const atomic of [false, true]) {
    const patches = (order: readonly string[], city: string) => order.map((id) => ({ id, set: { city } }));
    const both = await Promise.all([
      batch('update', patches(ids, 'forward'), { atomic }),
      batch('update', patches(ids.toReversed(), 'back'), { atomic }),
    ]);
    for (const { status, body } of both) expect([status, body.succeeded, body.failed]).toEqual([200, 500, 0]);
  }
});

test('the rules of an opportunity see the effect of earlier items', async () => {
  const path = '/v1/records/opportunities';
  const { account, stage } = api().tenant.ids;
  const { body } = await batch('create', [{ opportunity_name: 'Deal', account_id: account }], {}, { path });
  const { id } = body.data[0].data;
  const items = [
    { id, set: { stage_id: stage } },
    { id, set: { pipeline: 'Other' } },
  ];
  const headers = { 'Idempotency-Key': 'rules-in-order' };
  expect(statuses(await batch('update', items, {}, { path, headers }))).toEqual([200, 400]);
  const { stage_id, pipeline } = (await ask('GET', `${path}/${id}`)).body.data;
  expect([stage_id, pipeline]).toEqual([stage, 'Sales']);
});

test.each(ways)(
  'a plain change is executed before a later change that a rule checks (B6): %s',
  async (_name, more, options) => {
    const path = '/v1/records/opportunities';
    const { account, stage } = api().tenant.ids;
    const { body } = await batch('create', [{ opportunity_name: 'Deal', account_id: account }], {}, { path });
    const { id } = body.data[0].data;
    const items = [
      { id, set: { opportunity_name: 'First' } },
      { id, set: { opportunity_name: 'Second', stage_id: stage } },
    ];
    const headers = options && { 'Idempotency-Key': 'plain-before-rule' };
    const { body: changed } = await batch('update', items, more, { path, ...(headers && { headers }) });
    const names = changed.data.map(({ data }: { data: { opportunity_name: string } }) => data.opportunity_name);
    expect(names).toEqual(['First', 'Second']);
    expect((await ask('GET', `${path}/${id}`)).body.data.opportunity_name).toBe('Second');
  },
);
