import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Kind = 'accounts' | 'contacts';

const merge = (plural: Kind, winner: string, losers: string[], more: object = {}) =>
  api.tenant.client('POST', api.pathOf(plural, '/merge'), {
    body: { winner_id: winner, loser_ids: losers, ...more },
  });

const contact = (fields: object = {}) => api.make('contacts', fields);
const crm = (plural: Kind, id: string, crmId: string) =>
  api.tenant.client('POST', api.pathOf(plural, '/upsert'), { body: { match: { id }, set: { crm_id: crmId } } });
const listOf = async (plural: 'opportunities' | 'activities', id: string) =>
  (await api.get(plural, id)).body.data.contact_ids as string[] | undefined;

test('the winner gets missing values in the order of the losers, all tags, all links, and the values of `set`', async () => {
  const winner = await contact({ tags: ['vip'], email: undefined, phone: '1' });
  const first = await contact({ tags: ['press', 'vip'], email: 'ada@robotics.example', phone: '2', title: 'Dr' });
  const second = await contact({ email: 'other@robotics.example', city: 'Bern' });
  await crm('contacts', second.id, 'crm-2');
  const deal = await api.make('opportunities', { contact_ids: [first.id, winner.id, second.id] });
  const activity = await api.make('activities', { contact_ids: [second.id] });
  const { status, body, headers } = await merge('contacts', winner.id, [first.id, second.id], {
    set: { title: 'CTO', location: 'Zug' },
  });
  expect(status).toBe(200);
  expect(body.meta).toEqual({
    action: 'merged',
    changed: expect.arrayContaining(['email', 'tags', 'title', 'location', 'city', 'crm_id']),
    filled: expect.arrayContaining(['email', 'city', 'crm_id']),
    moved: { opportunities: 1, activities: 1 },
  });
  expect(body.meta.filled).toHaveLength(3);
  const expected = { phone: '1', email: 'ada@robotics.example', title: 'CTO', city: 'Bern', crm_id: 'crm-2' };
  expect(body.data).toMatchObject({ ...expected, id: winner.id, tags: ['vip', 'press'] });
  const now = await api.get('contacts', winner.id);
  expect([now.body.data, now.headers.get('etag')]).toEqual([body.data, headers.get('etag')]);
  expect(await listOf('opportunities', deal.id)).toEqual([winner.id]);
  expect(await listOf('activities', activity.id)).toEqual([winner.id]);
  expect((await api.history('contacts', winner.id)).at(-1)).toMatchObject({
    type: 'contact.merged',
    previous: { tags: ['vip'] },
    details: {
      losers: [{ id: first.id }, { id: second.id, crm_id: 'crm-2' }],
      moved: { opportunities: 1, activities: 1 },
    },
    record: body.data,
  });
  expect((await api.history('contacts', first.id)).at(-1)).toMatchObject({
    type: 'contact.deleted',
    details: { merged_into: winner.id },
    record: first,
  });
  expect((await api.history('activities', activity.id)).at(-1)).toMatchObject({ changed: ['contact_ids'] });
});

test('a merge moves opportunities and contacts of accounts, and changes updated_at even if nothing else changes', async () => {
  const [winner, loser] = [await api.make('accounts'), await api.make('accounts')];
  const [deal, person] = [
    await api.make('opportunities', { account_id: loser.id }),
    await contact({ account_id: loser.id }),
  ];
  const { body } = await merge('accounts', winner.id, [loser.id]);
  expect(body.meta).toMatchObject({ changed: [], filled: [], moved: { opportunities: 1, contacts: 1 } });
  expect(body.data.updated_at > (winner['updated_at'] as string)).toBe(true);
  expect((await api.get('opportunities', deal.id)).body.data.account_id).toBe(winner.id);
  expect((await api.get('contacts', person.id)).body.data.account_id).toBe(winner.id);
  await api.restore(loser.id);
  expect((await api.get('opportunities', deal.id)).body.data.account_id).toBe(loser.id);
  expect((await api.get('contacts', person.id)).body.data.account_id).toBe(loser.id);
});

describe('refusals', () => {
  const detailsOf = async (...given: Parameters<typeof merge>) =>
    ((await merge(...given)).error.details ?? []).map(({ field, code }) => `${field} ${code}`);

  test('B7.3: eleven losers, the winner as a loser, a repeated loser, an unknown record or a record of another organization: 400', async () => {
    const [{ id }, other] = [await contact(), await contact()];
    const foreign = api.other.ids.contact;
    expect(await detailsOf('contacts', id, Array.from({ length: 11 }, newId))).toEqual(['loser_ids too_many']);
    expect(await detailsOf('contacts', id, [])).toEqual(['loser_ids too_short']);
    expect(await detailsOf('contacts', id, [id])).toEqual(['loser_ids.0 invalid_reference']);
    expect(await detailsOf('contacts', id, [other.id, other.id.toUpperCase()])).toEqual([
      'loser_ids.1 invalid_reference',
    ]);
    expect(await detailsOf('contacts', id, [other.id, foreign])).toEqual(['loser_ids.1 invalid_reference']);
    expect(await detailsOf('contacts', foreign, [other.id])).toEqual(['winner_id invalid_reference']);
    expect(await detailsOf('contacts', id, [other.id], { set: { owner_id: foreign } })).toEqual([
      'set.owner_id invalid_reference',
    ]);
    expect(await detailsOf('contacts', id, [other.id], { if_match: { [newId()]: '"a"' } })).toHaveLength(1);
    expect(await detailsOf('contacts', id, [other.id], { if_match: { [id]: 'nonsense' }, x: 1 })).toEqual([
      `if_match.${id} invalid_format`,
      'x unknown_field',
    ]);
    expect((await api.get('contacts', other.id)).status).toBe(200);
  });

  test('B7.12: a stale version of one loser: 412 with its id, and nothing is changed', async () => {
    const [winner, fresh, stale] = [await contact(), await contact({ city: 'Bern' }), await contact()];
    const etag = (await api.get('contacts', fresh.id)).headers.get('etag')!;
    const response = await merge('contacts', winner.id, [fresh.id, stale.id], {
      if_match: { [fresh.id]: etag, [stale.id]: '"m5x9k2ab"' },
    });
    expect(response).toMatchObject({ status: 412, error: { error: 'precondition_failed', stale_ids: [stale.id] } });
    expect(response.headers.get('etag')).toBeNull();
    for (const record of [winner, fresh, stale])
      expect((await api.get('contacts', record.id)).body.data).toEqual(record);
  });

  test('B7.9: a merge that would change 5,001 other records is refused, and nothing is changed', async () => {
    const [winner, loser] = [await api.make('accounts'), await api.make('accounts', { city: 'Bern' })];
    await api.sql(
      `INSERT INTO contacts (org_id, id, first_name, last_name, account_id)
       SELECT $1, gen_random_uuid(), 'Ada', 'Lovelace', $2 FROM generate_series(1, 5001)`,
      [api.tenant.orgId, loser.id],
    );
    expect(await merge('accounts', winner.id, [loser.id])).toMatchObject({
      status: 409,
      error: {
        error: 'too_many_linked',
        linked_count: 5_001,
        message: expect.stringContaining('relata records merge --chunked'),
      },
    });
    expect((await api.get('accounts', winner.id)).body.data).toEqual(winner);
  });
});

describe('merged_into', () => {
  test('every 404 of a loser names the final winner, until the loser is restored', async () => {
    const [a, b, c] = [await contact(), await contact(), await contact()];
    await merge('contacts', b.id, [a.id]);
    await merge('contacts', c.id, [b.id]);
    const ask = api.tenant.client;
    const responses = [
      await api.get('contacts', a.id),
      await ask('PATCH', api.pathOf('contacts', `/${a.id}`), { body: { city: 'Bern' } }),
      await api.remove('contacts', a.id),
      await ask('POST', api.pathOf('contacts', '/upsert'), { body: { match: { id: a.id }, set: { city: 'Bern' } } }),
    ];
    for (const { status, error } of responses) expect([status, error.merged_into]).toEqual([404, c.id]);
    for (const body of [
      { opportunity_name: 'Deal', account_id: api.tenant.ids.account, contact_ids: [a.id] },
      { content: 'Called', contact_ids: [c.id, a.id] },
    ]) {
      const path = api.pathOf('content' in body ? 'activities' : 'opportunities');
      const { error } = await ask('POST', path, { body });
      expect(error.details).toMatchObject([{ field: 'contact_ids', code: 'invalid_reference', merged_into: c.id }]);
    }
    expect((await ask('GET', `/v1/trash/${a.id}`)).body.data.merged_into).toBe(b.id);
    expect(await api.history('contacts', a.id)).toHaveLength(2);
    const again = await merge('contacts', c.id, [a.id]);
    expect(again.error.details).toMatchObject([{ field: 'loser_ids.0', merged_into: c.id }]);
    await api.restore(a.id);
    expect((await api.get('contacts', a.id)).status).toBe(200);
  });

  test('B7.10: names the winner even after the purge has emptied the entry in the trash', async () => {
    const [winner, loser] = [await contact(), await contact()];
    await merge('contacts', winner.id, [loser.id]);
    await api.sql('UPDATE trash SET record = NULL WHERE id = $1', [loser.id]);
    for (const path of [api.pathOf('contacts', `/${loser.id}`), `/v1/trash/${loser.id}`]) {
      const { status, error } = await api.tenant.client('GET', path);
      expect([status, error.merged_into]).toEqual([404, winner.id]);
    }
    expect(await api.restore(loser.id)).toMatchObject({ status: 404, error: { merged_into: winner.id } });
  });
});

describe('undo', () => {
  test('B7.4: losers can be restored in any order: all links are as before, and filled fields are empty again', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const winner = await contact();
      const losers = [
        await contact({ email: 'a@robotics.example' }),
        await contact({ city: 'Bern', title: 'Dr' }),
        await contact({ city: 'Zug' }),
      ];
      const [x, y] = [await contact(), await contact()];
      const [a, b, c] = losers.map(({ id }) => id) as [string, string, string];
      const lists = [
        [a, b, c],
        [x.id, b, y.id],
        [b, x.id, winner.id],
        [winner.id, c],
        [c, winner.id, a],
        [a, x.id, c, y.id, b],
        [y.id],
      ];
      const deals = [];
      const activities = [];
      for (const ids of lists) {
        deals.push((await api.make('opportunities', { contact_ids: ids })).id);
        activities.push((await api.make('activities', { contact_ids: ids })).id);
      }
      await merge('contacts', winner.id, [a, b, c]);
      expect(await api.countDangling()).toBe(0);
      for (const i of order) expect((await api.restore(losers[i]!.id)).status).toBe(200);
      for (const [i, ids] of lists.entries()) {
        expect(await listOf('opportunities', deals[i]!), `${order.join()} deal ${i}`).toEqual(ids);
        expect(await listOf('activities', activities[i]!), `${order.join()} activity ${i}`).toEqual(ids);
      }
      for (const record of [winner, ...losers]) {
        const { data } = (await api.get('contacts', record.id)).body;
        expect(data).toEqual({ ...record, updated_at: data.updated_at });
      }
      const events = await api.history('activities', activities[5]!);
      expect(events.at(-1)!['record']).toEqual((await api.get('activities', activities[5]!)).body.data);
    }
  });

  test('a filled field that was changed since, and links that were moved since, stay', async () => {
    const [winner, loser] = [await contact(), await contact({ email: 'a@robotics.example', city: 'Bern' })];
    const deal = await api.make('opportunities', { contact_ids: [loser.id] });
    await merge('contacts', winner.id, [loser.id]);
    const change = (plural: 'contacts' | 'opportunities', id: string, body: object) =>
      api.tenant.client('PATCH', api.pathOf(plural, `/${id}`), { body });
    await change('contacts', winner.id, { city: 'Zug' });
    await change('contacts', winner.id, { city: 'Bern' });
    await change('opportunities', deal.id, { contact_ids: [] });
    expect((await api.restore(loser.id)).body.meta.relinked).toEqual({ opportunities: 0, activities: 0 });
    const { data } = (await api.get('contacts', winner.id)).body;
    expect(data.city).toBe('Bern');
    expect(data).not.toHaveProperty('email');
    expect(await listOf('opportunities', deal.id)).toBeUndefined();
  });

  test('links of two merges into one winner come back in any order', async () => {
    for (const isFirst of [true, false]) {
      const [winner, a, b] = [await contact(), await contact(), await contact()];
      const deal = await api.make('opportunities', { contact_ids: [a.id, b.id] });
      await merge('contacts', winner.id, [a.id]);
      await merge('contacts', winner.id, [b.id]);
      for (const id of isFirst ? [a.id, b.id] : [b.id, a.id]) await api.restore(id);
      expect(await listOf('opportunities', deal.id)).toEqual([a.id, b.id]);
    }
  });

  test('while the winner is in the trash, only the loser is restored', async () => {
    const [winner, loser] = [await contact(), await contact({ email: 'a@robotics.example' })];
    const deal = await api.make('opportunities', { contact_ids: [loser.id] });
    await merge('contacts', winner.id, [loser.id]);
    await api.remove('contacts', winner.id);
    expect((await api.restore(loser.id)).status).toBe(200);
    expect(await listOf('opportunities', deal.id)).toBeUndefined();
  });
});

test('a record that referred to a merged one is restored with the winner', async () => {
  const [winner, loser] = [await api.make('accounts'), await api.make('accounts')];
  const deal = await api.make('opportunities', { account_id: loser.id });
  await api.remove('opportunities', deal.id);
  await merge('accounts', winner.id, [loser.id]);
  expect((await api.restore(deal.id)).body.data.account_id).toBe(winner.id);
});

test('merges concurrent with writes that link to the loser leave no id of the loser, and none fails', async () => {
  for (let round = 0; round < 10; round++) {
    const [winner, a, b] = [await contact(), await contact(), await contact()];
    const deal = await api.make('opportunities', { contact_ids: [a.id] });
    const path = api.pathOf('opportunities', `/${deal.id}`);
    const responses = await Promise.all([
      merge('contacts', winner.id, [a.id, b.id]),
      api.tenant.client('POST', api.pathOf('activities'), { body: { content: 'x', contact_ids: [b.id, a.id] } }),
      api.tenant.client('PATCH', path, { body: { contact_ids: [b.id], amount: round } }),
      api.tenant.client('POST', api.pathOf('contacts', '/upsert'), {
        body: { match: { id: b.id }, set: { city: 'Bern' } },
      }),
    ]);
    expect(responses[0]!.status).toBe(200);
    expect(responses.map(({ status }) => status).filter((status) => ![200, 201, 400, 404].includes(status))).toEqual(
      [],
    );
  }
  expect(await api.countDangling()).toBe(0);
});
