import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const kinds = [
  ['accounts', 'account', { contacts: 0 }],
  ['contacts', 'contact', { opportunities: 0, activities: 0 }],
  ['opportunities', 'opportunity', { activities: 0 }],
  ['activities', 'activity', {}],
] as const;

describe.each(kinds)('%s', (plural, name, unlinked) => {
  test('a delete returns the record as it was, and no other operation finds it any more', async () => {
    const record = await api.make(plural);
    const before = await api.total(plural);
    const { status, body } = await api.remove(plural, record.id);
    expect(status).toBe(200);
    expect(body.data).toEqual(record);
    const { deleted_at: deletedAt, purge_at: purgeAt } = body.meta;
    expect(body.meta).toEqual({
      action: 'deleted',
      deletion_id: expect.any(String),
      deleted_at: deletedAt,
      purge_at: purgeAt,
      unlinked,
    });
    expect(Date.parse(purgeAt) - Date.parse(deletedAt)).toBe(30 * 86_400_000);
    expect((await api.get(plural, record.id)).status).toBe(404);
    expect((await api.remove(plural, record.id)).status).toBe(404);
    expect(await api.total(plural)).toBe(before - 1);
  });

  test('the event of a delete has the record as it was, and the id of the deletion', async () => {
    const record = await api.make(plural);
    const { body, headers } = await api.remove(plural, record.id);
    expect((await api.history(plural, record.id)).at(-1)).toEqual({
      id: expect.any(String),
      type: `${name}.deleted`,
      created_at: body.meta.deleted_at,
      record_type: name,
      record_id: record.id,
      actor: expect.objectContaining({ type: 'api_key' }),
      request_id: headers.get('x-request-id'),
      details: { deletion_id: body.meta.deletion_id },
      record,
    });
  });
});

test('If-Match deletes only the version that was read', async () => {
  const { id } = await api.make('accounts');
  const stale = (await api.get('accounts', id)).headers.get('etag')!;
  await api.tenant.client('PATCH', api.pathOf('accounts', `/${id}`), { body: { city: 'Bern' } });
  const current = (await api.get('accounts', id)).headers.get('etag')!;
  const removeIf = (etag: string) =>
    api.tenant.client('DELETE', api.pathOf('accounts', `/${id}`), { headers: { 'If-Match': etag } });
  const refused = await removeIf(stale);
  expect(refused).toMatchObject({ status: 412, error: { error: 'precondition_failed' } });
  expect(refused.headers.get('etag')).toBe(current);
  expect((await removeIf(current)).status).toBe(200);
  expect((await removeIf('*')).status).toBe(404);
});

describe('links of other records', () => {
  test('a deleted account is removed from its contacts', async () => {
    const account = await api.make('accounts');
    const contacts = [
      await api.make('contacts', { account_id: account.id }),
      await api.make('contacts', { account_id: account.id }),
    ];
    const { body, headers } = await api.remove('accounts', account.id);
    expect(body.meta.unlinked).toEqual({ contacts: 2 });
    for (const contact of contacts) {
      const now = await api.get('contacts', contact.id);
      const { account_id: _cleared, ...rest } = contact;
      expect(now.body.data).toEqual({ ...rest, updated_at: now.body.data.updated_at });
      expect(now.body.data.updated_at > (contact['updated_at'] as string)).toBe(true);
      expect((await api.history('contacts', contact.id)).at(-1)).toMatchObject({
        type: 'contact.updated',
        request_id: headers.get('x-request-id'),
        changed: ['account_id'],
        previous: { account_id: account.id },
        record: now.body.data,
      });
    }
  });

  test('a deleted contact is removed from the lists of opportunities and activities; the other contacts stay', async () => {
    const [a, b, c] = [await api.make('contacts'), await api.make('contacts'), await api.make('contacts')];
    const ids = [a.id, b.id, c.id];
    const opportunity = await api.make('opportunities', { contact_ids: ids });
    const activity = await api.make('activities', { contact_ids: ids });
    const { body } = await api.remove('contacts', b.id);
    expect(body.meta.unlinked).toEqual({ opportunities: 1, activities: 1 });
    for (const [plural, { id }] of [
      ['opportunities', opportunity],
      ['activities', activity],
    ] as const) {
      const now = (await api.get(plural, id)).body.data;
      expect(now.contact_ids).toEqual([a.id, c.id]);
      expect((await api.history(plural, id)).at(-1)).toMatchObject({
        changed: ['contact_ids'],
        previous: { contact_ids: ids },
        record: now,
      });
    }
  });

  test('a deleted opportunity is removed from activities', async () => {
    const opportunity = await api.make('opportunities');
    const activity = await api.make('activities', { opportunity_ids: [opportunity.id] });
    expect((await api.remove('opportunities', opportunity.id)).body.meta.unlinked).toEqual({ activities: 1 });
    expect((await api.get('activities', activity.id)).body.data.opportunity_ids).toEqual([]);
  });
});

describe('an account with opportunities', () => {
  test('is not deleted, and the error says how many there are', async () => {
    const account = await api.make('accounts');
    for (let i = 0; i < 3; i++) await api.make('opportunities', { account_id: account.id });
    for (const query of ['', '?cascade=false'])
      expect(await api.remove('accounts', account.id, query)).toMatchObject({
        status: 409,
        error: { error: 'in_use', used_by: { opportunities: 3 } },
      });
    expect((await api.get('accounts', account.id)).body.data).toEqual(account);
  });

  test('is deleted together with them by a cascade; an activity that is linked to several of them changes once', async () => {
    const account = await api.make('accounts');
    const contact = await api.make('contacts', { account_id: account.id });
    const deals = [
      await api.make('opportunities', { account_id: account.id, contact_ids: [contact.id] }),
      await api.make('opportunities', { account_id: account.id }),
    ];
    const other = await api.make('opportunities');
    const opportunityIds = [deals[0]!.id, other.id, deals[1]!.id];
    const activity = await api.make('activities', { opportunity_ids: opportunityIds });
    const { body } = await api.remove('accounts', account.id, '?cascade=true');
    expect(body.meta).toMatchObject({ unlinked: { contacts: 1, activities: 1 }, deleted: { opportunities: 2 } });
    for (const { id } of deals) {
      expect((await api.get('opportunities', id)).status).toBe(404);
      expect((await api.history('opportunities', id)).at(-1)).toMatchObject({
        type: 'opportunity.deleted',
        details: { deletion_id: body.meta.deletion_id },
      });
    }
    expect((await api.get('activities', activity.id)).body.data.opportunity_ids).toEqual([other.id]);
    expect(await api.history('activities', activity.id)).toHaveLength(2);
    expect(await api.countDangling()).toBe(0);
  });

  test('cascade is an unknown parameter for other records, and must be true or false', async () => {
    const { id } = await api.make('contacts');
    const details = async (...given: Parameters<TrashApi['remove']>) => (await api.remove(...given)).error.details;
    expect(await details('contacts', id, '?cascade=true')).toMatchObject([{ field: 'cascade', code: 'unknown_field' }]);
    expect(await details('accounts', newId(), '?cascade=1')).toMatchObject([
      { field: 'cascade', code: 'invalid_enum' },
    ]);
  });
});

test('B2.7: a deleted record never matches', async () => {
  const email = `${newId()}@gone.example`;
  const { id } = await api.make('contacts', { email });
  await api.remove('contacts', id);
  const upsert = (match: object) =>
    api.tenant.client('POST', api.pathOf('contacts', '/upsert'), {
      body: { match, create: { first_name: 'Ada', last_name: 'Lovelace' } },
    });
  expect((await upsert({ id })).status).toBe(404);
  const created = await upsert({ email });
  expect([created.status, created.body.data.id === id]).toEqual([201, false]);
});

test('B1.2, B1.7: a repeated delete with its Idempotency-Key returns the first answer', async () => {
  const { id } = await api.make('contacts');
  const headers = { 'Idempotency-Key': newId() };
  const send = () => api.tenant.client('DELETE', api.pathOf('contacts', `/${id}`), { headers });
  const first = await send();
  const second = await send();
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
});

test('a dry run answers as the delete would, and changes nothing', async () => {
  const account = await api.make('accounts');
  const contact = await api.make('contacts', { account_id: account.id });
  const { status, body } = await api.remove('accounts', account.id, '?dry_run=true');
  expect([status, body.data, body.meta.unlinked, body.meta.dry_run]).toEqual([200, account, { contacts: 1 }, true]);
  expect((await api.get('contacts', contact.id)).body.data).toEqual(contact);
  expect((await api.get('accounts', account.id)).status).toBe(200);
});
