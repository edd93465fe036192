import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plural, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const full: Record<Plural, () => object> = {
  accounts: () => ({ domain: 'robotics.example', tags: ['a', 'b'], owner_id: api.tenant.ids.user }),
  contacts: () => ({ email: 'ada@robotics.example', account_id: api.tenant.ids.account, tags: ['vip'] }),
  opportunities: () => ({
    amount: 1_250_000_000_000.125,
    close_date: '2026-12-31T17:00:00.123Z',
    stage_id: api.tenant.ids.stage,
    contact_ids: [api.tenant.ids.contact],
  }),
  activities: () => ({
    direction: 'inbound',
    date_time: null,
    contact_ids: [api.tenant.ids.contact],
    opportunity_ids: [api.tenant.ids.opportunity],
  }),
};

describe.each([
  ['accounts', 'account', { restored: { opportunities: 0 }, relinked: { contacts: 0 } }],
  ['contacts', 'contact', { restored: {}, relinked: { opportunities: 0, activities: 0 } }],
  ['opportunities', 'opportunity', { restored: {}, relinked: { activities: 0 } }],
  ['activities', 'activity', { restored: {}, relinked: {} }],
] as const)('%s', (plural, name, counts) => {
  test('a restored record is the same except for updated_at (acceptance B7.1)', async () => {
    const record = await api.make(plural, full[plural]());
    const before = await api.total(plural);
    await api.remove(plural, record.id);
    expect(await api.total(plural)).toBe(before - 1);
    const { status, body, headers } = await api.restore(record.id);
    expect(status).toBe(200);
    expect(body.meta).toEqual({ action: 'restored', ...counts, dropped: [] });
    const now = await api.get(plural, record.id);
    expect(JSON.stringify(now.body.data)).toBe(JSON.stringify({ ...record, updated_at: now.body.data.updated_at }));
    expect(now.body.data.updated_at > (record['updated_at'] as string)).toBe(true);
    expect([body.data, headers.get('etag')]).toEqual([now.body.data, now.headers.get('etag')]);
    expect(await api.total(plural)).toBe(before);
    const events = await api.history(plural, record.id);
    expect(events.at(-1)).toMatchObject({
      type: `${name}.restored`,
      details: { deletion_id: (events.at(-2)!['details'] as { deletion_id: string }).deletion_id },
      record: now.body.data,
    });
    expect((await api.restore(record.id)).status).toBe(404);
  });
});

test('If-Match of a restore names the version that the record had when it was deleted', async () => {
  const { id } = await api.make('contacts');
  const etag = (await api.get('contacts', id)).headers.get('etag')!;
  await api.remove('contacts', id);
  const restoreIf = (value: string) =>
    api.tenant.client('POST', `/v1/trash/${id}/restore`, { headers: { 'If-Match': value } });
  const refused = await restoreIf('"m5x9k2ab"');
  expect([refused.status, refused.headers.get('etag')]).toEqual([412, etag]);
  expect((await restoreIf(etag)).status).toBe(200);
});

describe('links of other records', () => {
  test('are restored, with an event for each record (acceptance B7.1)', async () => {
    const account = await api.make('accounts');
    const contact = await api.make('contacts', { account_id: account.id });
    await api.remove('accounts', account.id);
    expect((await api.restore(account.id)).body.meta.relinked).toEqual({ contacts: 1 });
    const now = (await api.get('contacts', contact.id)).body.data;
    expect(now).toEqual({ ...contact, updated_at: now.updated_at });
    expect((await api.history('contacts', contact.id)).at(-1)).toMatchObject({
      changed: ['account_id'],
      previous: {},
      record: now,
    });
  });

  test('an id returns to its position in a list, after the nearest preceding id that is still in the list', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(async () => (await api.make('contacts')).id));
    const [a, b, c, d, e] = ids as [string, string, string, string, string];
    const lists = [
      ['opportunities', await api.make('opportunities', { contact_ids: ids })],
      ['activities', await api.make('activities', { contact_ids: ids })],
    ] as const;
    const expectLists = async (expected: string[]) => {
      for (const [plural, { id }] of lists)
        expect((await api.get(plural, id)).body.data.contact_ids, plural).toEqual(expected);
    };
    await api.remove('contacts', c);
    await api.remove('contacts', a);
    await api.restore(c);
    await expectLists([b, c, d, e]);
    await api.restore(a);
    await expectLists(ids);
    await api.remove('contacts', e);
    await api.remove('contacts', d);
    await api.remove('contacts', c);
    await api.restore(e);
    await expectLists([a, b, e]);
    await api.restore(c);
    await expectLists([a, b, c, e]);
    for (const [plural, { id }] of lists)
      expect((await api.history(plural, id)).at(-1)!['record']).toEqual((await api.get(plural, id)).body.data);
  });

  test('an id for which its list has no room any more is reported', async () => {
    const ids = await Promise.all(Array.from({ length: 101 }, async () => (await api.make('contacts')).id));
    const { id } = await api.make('opportunities', { contact_ids: ids.slice(0, 100) });
    await api.remove('contacts', ids[0]!);
    await api.tenant.client('PATCH', api.pathOf('opportunities', `/${id}`), { body: { contact_ids: ids.slice(1) } });
    const { meta } = (await api.restore(ids[0]!)).body;
    expect(meta).toMatchObject({
      relinked: { opportunities: 0 },
      dropped: [{ id, field: 'contact_ids', value: ids[0] }],
    });
    expect((await api.get('opportunities', id)).body.data.contact_ids).toEqual(ids.slice(1));
  });

  test('a field that has a new id and a record that no longer exists are not changed', async () => {
    const [account, other] = [await api.make('accounts'), await api.make('accounts')];
    const changed = await api.make('contacts', { account_id: account.id });
    const gone = await api.make('contacts', { account_id: account.id });
    await api.remove('accounts', account.id);
    const path = api.pathOf('contacts', `/${changed.id}`);
    await api.tenant.client('PATCH', path, { body: { account_id: other.id } });
    await api.remove('contacts', gone.id);
    expect((await api.restore(account.id)).body.meta).toMatchObject({ relinked: { contacts: 0 }, dropped: [] });
    expect((await api.get('contacts', changed.id)).body.data.account_id).toBe(other.id);
  });
});

describe('a cascade', () => {
  test('is restored as a whole', async () => {
    const account = await api.make('accounts');
    const deals = [
      await api.make('opportunities', { account_id: account.id, ...full.opportunities(), amount: 1 }),
      await api.make('opportunities', { account_id: account.id }),
    ];
    const ids = [deals[1]!.id, api.tenant.ids.opportunity, deals[0]!.id];
    const activity = await api.make('activities', { opportunity_ids: ids });
    const contact = await api.make('contacts', { account_id: account.id });
    await api.remove('accounts', account.id, '?cascade=true');
    expect((await api.restore(account.id)).body.meta).toEqual({
      action: 'restored',
      restored: { opportunities: 2 },
      relinked: { contacts: 1, activities: 1 },
      dropped: [],
    });
    for (const deal of deals) {
      const { data } = (await api.get('opportunities', deal.id)).body;
      expect(data).toEqual({ ...deal, updated_at: data.updated_at });
    }
    expect((await api.get('activities', activity.id)).body.data.opportunity_ids).toEqual(ids);
    expect((await api.get('contacts', contact.id)).body.data.account_id).toBe(account.id);
    expect(await api.countDangling()).toBe(0);
  });

  test('an opportunity cannot be restored without its account, and the error names it', async () => {
    const account = await api.make('accounts');
    const deal = await api.make('opportunities', { account_id: account.id });
    await api.remove('accounts', account.id, '?cascade=true');
    const refused = await api.restore(deal.id);
    expect(refused).toMatchObject({ status: 409, error: { error: 'conflict', trashed_id: account.id } });
    expect(refused.error.message).toContain(account.id);
    await api.sql('DELETE FROM trash WHERE id = $1', [account.id]);
    const gone = await api.restore(deal.id);
    expect(gone).toMatchObject({ status: 409, error: { error: 'conflict' } });
    expect(gone.error.details).toMatchObject([{ field: 'account_id' }]);
    expect((await api.tenant.client('GET', `/v1/trash/${deal.id}`)).status).toBe(200);
  });
});

test('references to records that no longer exist are dropped and reported', async () => {
  const [owner, account] = [await api.makeUser(), await api.make('accounts')];
  const contact = await api.make('contacts', { account_id: account.id, owner_id: owner });
  const [kept, stage] = [await api.make('contacts'), await api.makeStage('Renewals')];
  const deal = await api.make('opportunities', { contact_ids: [contact.id, kept.id], stage_id: stage });
  expect(deal['pipeline']).toBe('Renewals');
  await api.remove('opportunities', deal.id);
  await api.remove('contacts', contact.id);
  await api.remove('accounts', account.id);
  await api.sql('DELETE FROM users WHERE id = $1', [owner]);
  await api.sql('DELETE FROM stages WHERE id = $1', [stage]);
  const restored = (await api.restore(deal.id)).body;
  expect(restored.data).toMatchObject({ pipeline: 'Renewals', contact_ids: [kept.id] });
  expect(restored.data).not.toHaveProperty('stage_id');
  const dropped = [
    { id: deal.id, field: 'stage_id', value: stage },
    { id: deal.id, field: 'contact_ids', value: contact.id },
  ];
  expect(restored.meta.dropped.toSorted(byField)).toEqual(dropped.toSorted(byField));
  const person = (await api.restore(contact.id)).body;
  expect(person.data).not.toHaveProperty('account_id');
  expect(person.meta.dropped).toHaveLength(2);
});

const byField = (a: { field: string }, b: { field: string }) => (a.field < b.field ? -1 : 1);

test('the pipeline of a restored opportunity is that of its stage', async () => {
  const stage = await api.makeStage('Old');
  const deal = await api.make('opportunities', { stage_id: stage });
  await api.remove('opportunities', deal.id);
  await api.sql(`UPDATE pipelines SET name = 'New' WHERE name = 'Old'`);
  expect((await api.restore(deal.id)).body.data).toMatchObject({ stage_id: stage, pipeline: 'New' });
});

test('a dry run of a restore restores nothing, and a repeat with its key returns the first answer', async () => {
  const { id } = await api.make('contacts');
  await api.remove('contacts', id);
  const tried = await api.tenant.client('POST', `/v1/trash/${id}/restore?dry_run=true`);
  expect([tried.status, tried.body.meta.dry_run]).toEqual([200, true]);
  expect((await api.get('contacts', id)).status).toBe(404);
  const headers = { 'Idempotency-Key': newId() };
  const send = () => api.tenant.client('POST', `/v1/trash/${id}/restore`, { headers });
  const first = await send();
  expect([first.status, (await send()).text]).toEqual([200, first.text]);
});
