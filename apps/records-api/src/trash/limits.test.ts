import { newId } from '@relata/db';
import { recordsOperations } from '@relata/schemas';
import { apiClient } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plural, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const batch = (plural: Plural, items: object[], more: object = {}) =>
  api.tenant.client('POST', api.pathOf(plural, '/batch'), { body: { operation: 'delete', items, ...more } });

/** Inserts contacts of an account. */
async function insertContacts(accountId: string, count: number): Promise<void> {
  await api.sql(
    `INSERT INTO contacts (org_id, id, first_name, last_name, account_id)
     SELECT $1, gen_random_uuid(), 'Ada', 'Lovelace', $2 FROM generate_series(1, $3)`,
    [api.tenant.orgId, accountId, count],
  );
}

const countOf = async (accountId: string) =>
  (await api.sql<{ n: number }>('SELECT count(*)::integer AS n FROM contacts WHERE account_id = $1', [accountId]))[0]!
    .n;

describe('a delete changes at most 5,000 other records (acceptance B7.9)', () => {
  test('a delete that would change 5,001 records is refused and changes none; 5,000 changed records are reset by a restore', async () => {
    const account = await api.make('accounts');
    await insertContacts(account.id, 5_001);
    const refused = await api.remove('accounts', account.id);
    expect(refused).toMatchObject({
      status: 409,
      error: { error: 'too_many_linked', linked_count: 5_001, linked_max: 5_000 },
    });
    expect(await countOf(account.id)).toBe(5_001);
    await api.sql('DELETE FROM contacts WHERE id = (SELECT id FROM contacts WHERE account_id = $1 LIMIT 1)', [
      account.id,
    ]);
    expect((await api.remove('accounts', account.id)).body.meta.unlinked).toEqual({ contacts: 5_000 });
    expect(await countOf(account.id)).toBe(0);
    expect((await api.restore(account.id)).body.meta.relinked).toEqual({ contacts: 5_000 });
    expect(await countOf(account.id)).toBe(5_000);
  });

  test('the opportunities of a cascade count towards the limit; the error counts up to 10,000 records', async () => {
    const account = await api.make('accounts');
    await insertContacts(account.id, 4_999);
    for (let i = 0; i < 2; i++) await api.make('opportunities', { account_id: account.id });
    expect((await api.remove('accounts', account.id, '?cascade=true')).error).toMatchObject({ linked_count: 5_001 });
    await insertContacts(account.id, 6_000);
    expect((await api.remove('accounts', account.id, '?cascade=true')).error).toMatchObject({
      linked_count: 10_000,
      linked_count_relation: 'gte',
    });
  });

  test('all records that a refused cascade would change are counted', async () => {
    const account = await api.make('accounts');
    await insertContacts(account.id, 10);
    await api.sql(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id)
       SELECT $1, gen_random_uuid(), 'Deal', $2 FROM generate_series(1, 5001)`,
      [api.tenant.orgId, account.id],
    );
    expect((await api.remove('accounts', account.id, '?cascade=true')).error).toMatchObject({ linked_count: 5_011 });
    expect((await api.remove('accounts', account.id)).error).toMatchObject({ used_by: { opportunities: 5_001 } });
  });

  test('the items of a batch share the limit, also if each could be deleted alone', async () => {
    const accounts = [await api.make('accounts'), await api.make('accounts'), await api.make('accounts')];
    await insertContacts(accounts[0]!.id, 3_000);
    await insertContacts(accounts[1]!.id, 3_000);
    const items = accounts.map(({ id }) => ({ id }));
    const aborted = await batch('accounts', items, { atomic: true });
    expect(aborted).toMatchObject({ status: 409, error: { error: 'batch_aborted' } });
    const { data } = (await batch('accounts', items)).body;
    expect(data.map(({ status }: { status: number }) => status)).toEqual([200, 409, 200]);
    expect(data[1].error).toMatchObject({ error: 'too_many_linked', linked_count: 3_000 });
    expect(data[1].error.message).toContain('in a request of its own');
    expect((await api.remove('accounts', accounts[1]!.id)).status).toBe(200);
  });

  test('a dry run of a batch refuses the items that the batch would refuse: every 100 items share the limit', async () => {
    const made = await api.tenant.client('POST', api.pathOf('accounts', '/batch'), {
      body: { operation: 'create', items: Array.from({ length: 101 }, () => ({ account_name: 'Robotics' })) },
    });
    const ids = made.body.data.map(({ data }: { data: { id: string } }) => data.id) as string[];
    for (const i of [0, 1, 100]) await insertContacts(ids[i]!, 2_501);
    const body = { operation: 'delete', items: ids.map((id) => ({ id })) };
    const refusedIn = async (query: string, headers = {}) => {
      const { data } = (await api.tenant.client('POST', api.pathOf('accounts', `/batch${query}`), { body, headers }))
        .body;
      return (data as { status: number }[]).flatMap(({ status }, i) => (status === 409 ? [i] : []));
    };
    expect(await refusedIn('?dry_run=true', { 'Idempotency-Key': newId() }), 'in one transaction').toEqual([1, 100]);
    expect(await refusedIn('?dry_run=true')).toEqual([1]);
    expect(await refusedIn('')).toEqual([1]);
  });
});

describe('batches', () => {
  test.each(['accounts', 'contacts', 'opportunities', 'activities'] as const)(
    'B6.1: %s: each item has the answer that its own request would have',
    async (plural) => {
      const records = [await api.make(plural), await api.make(plural), await api.make(plural)];
      const etag = (await api.get(plural, records[1]!.id)).headers.get('etag')!;
      const { body } = await batch(plural, [
        { id: records[0]!.id },
        { id: records[1]!.id, if_match: etag },
        { id: records[2]!.id, if_match: '"m5x9k2ab"' },
        { id: records[0]!.id.toUpperCase() },
        { id: 'nonsense' },
        { id: records[2]!.id, if_match: 'nonsense' },
        {},
      ]);
      const items = body.data as { status: number }[];
      expect(items.map(({ status }) => status)).toEqual([200, 200, 412, 404, 404, 400, 400]);
      expect(body.data[0]).toMatchObject({
        data: records[0],
        meta: { action: 'deleted', deletion_id: expect.any(String), purge_at: expect.any(String) },
      });
      expect((await api.get(plural, records[1]!.id)).status).toBe(404);
      expect((await api.get(plural, records[2]!.id)).status).toBe(200);
    },
  );

  test('items do not cascade', async () => {
    const account = await api.make('accounts');
    await api.make('opportunities', { account_id: account.id });
    const { data } = (await batch('accounts', [{ id: account.id }, { id: account.id, cascade: true }])).body;
    expect(data).toMatchObject([
      { status: 409, error: { error: 'in_use', used_by: { opportunities: 1 } } },
      { status: 400, error: { details: [{ field: 'cascade', code: 'unknown_field' }] } },
    ]);
  });

  test('an atomic batch deletes all or none, and 500 records at once', async () => {
    const ids = (
      await api.tenant.client('POST', api.pathOf('contacts', '/batch'), {
        body: {
          operation: 'create',
          items: Array.from({ length: 500 }, () => ({ first_name: 'Ada', last_name: 'Lovelace' })),
        },
      })
    ).body.data.map(({ data }: { data: { id: string } }) => data.id) as string[];
    const items = ids.map((id) => ({ id }));
    const before = await api.total('contacts');
    const missing = [...items.slice(1), { id: api.tenant.ids.account }];
    expect((await batch('contacts', missing, { atomic: true })).status).toBe(409);
    expect(await api.total('contacts')).toBe(before);
    expect((await batch('contacts', items, { atomic: true })).body).toMatchObject({ succeeded: 500, failed: 0 });
    expect(await api.total('contacts')).toBe(before - 500);
  });
});

describe('permissions', () => {
  const removals = Object.values(recordsOperations).filter(({ scope }) => scope === 'records:delete');

  test('a key that only writes records may not delete, list the trash or restore (acceptance B7.6)', async () => {
    const client = apiClient(api.url, await api.keyWith(['records:read', 'records:write', 'activities:write']));
    expect(removals.map(({ id }) => id)).toContain('restoreFromTrash');
    for (const { method, path } of removals) {
      const { status, error } = await client(method.toUpperCase(), path.replace('{id}', api.tenant.ids.contact));
      expect([path, status, error.required_scopes]).toEqual([path, 403, ['records:delete']]);
    }
    for (const plural of ['accounts', 'activities'] as const) {
      const path = api.pathOf(plural, '/batch');
      const body = { operation: 'delete', items: [{ id: api.tenant.ids.account }] };
      const refused = await client('POST', path, { body });
      expect([refused.status, refused.error.required_scopes]).toEqual([403, ['records:delete']]);
      expect((await client('POST', path, { body: { ...body, items: [] } })).status).toBe(400);
    }
    const created = await client('POST', api.pathOf('accounts', '/batch'), {
      body: { operation: 'create', items: [{ account_name: 'A' }] },
    });
    expect(created.status).toBe(200);
  });

  test('a key that may only delete can send a batch of deletes, and no other batch', async () => {
    const client = apiClient(api.url, await api.keyWith(['records:delete']));
    const { id } = await api.make('activities');
    const path = api.pathOf('activities', '/batch');
    const removed = await client('POST', path, { body: { operation: 'delete', items: [{ id }] } });
    expect(removed.body.succeeded).toBe(1);
    const refused = await client('POST', path, { body: { operation: 'create', items: [{ content: 'x' }] } });
    expect([refused.status, refused.error.required_scopes]).toEqual([403, ['activities:write']]);
  });
});
