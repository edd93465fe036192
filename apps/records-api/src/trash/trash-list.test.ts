import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const list = (query = '') => api.tenant.client('GET', `/v1/trash${query}`);

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

/** Empties the trash, deletes some records one after another, and returns their trash entries. */
async function trashed(count: number) {
  await api.sql('DELETE FROM trash');
  const records = [];
  for (let i = 0; i < count; i++) {
    const record = await api.make(i % 2 ? 'contacts' : 'accounts');
    const { meta } = (await api.remove(i % 2 ? 'contacts' : 'accounts', record.id)).body;
    records.push({ record, meta });
  }
  return records;
}

test('lists the newest deletion first, and a single entry looks the same', async () => {
  const records = await trashed(3);
  const { body } = await list();
  expect(body).toMatchObject({ total: 3, limit: 25, offset: 0, has_more: false });
  expect(body).not.toHaveProperty('next_cursor');
  const expected = records.map(({ record, meta }, i) => ({
    id: record.id,
    resource: i % 2 ? 'contact' : 'account',
    deletion_id: meta.deletion_id,
    deleted_at: meta.deleted_at,
    purge_at: meta.purge_at,
    merged_into: null,
    record,
  }));
  expect(body.data).toEqual(expected.toReversed());
  expect((await api.tenant.client('GET', `/v1/trash/${records[0]!.record.id}`)).body).toEqual({ data: expected[0] });
});

test('pages by cursor return every entry once, also entries with the same time', async () => {
  await api.sql('DELETE FROM trash');
  const account = await api.make('accounts');
  for (let i = 0; i < 6; i++) await api.make('opportunities', { account_id: account.id });
  await api.remove('accounts', account.id, '?cascade=true');
  const seen: string[] = [];
  let query = '?limit=3';
  for (;;) {
    const { body } = await list(query);
    expect([body.total, body.offset]).toEqual([7, 0]);
    seen.push(...idsOf(body));
    if (!body.has_more) break;
    query = `?limit=3&cursor=${body.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(7);
  expect(seen).toEqual(idsOf((await list('?limit=100')).body));
});

test('filters by kind, delete and time', async () => {
  const records = await trashed(4);
  const ids = records.map(({ record }) => record.id);
  expect(idsOf((await list('?resource=contact')).body)).toEqual([ids[3], ids[1]]);
  expect(idsOf((await list(`?deletion_id=${records[2]!.meta.deletion_id}`)).body)).toEqual([ids[2]]);
  const { deleted_at: at } = records[2]!.meta;
  const since = (await list(`?deleted_at[gte]=${at}`)).body;
  const before = (await list(`?deleted_at[lt]=${at}&resource=account`)).body;
  expect([idsOf(since), since.total]).toEqual([[ids[3], ids[2]], 2]);
  expect([idsOf(before), before.total]).toEqual([[ids[0]], 1]);
});

test('refuses unknown and malformed parameters, and cursors of another list', async () => {
  await trashed(2);
  const { next_cursor: cursor } = (await list('?limit=1')).body;
  const codesOf = async (query: string) =>
    ((await list(query)).error.details ?? []).map(({ field, code }) => `${field} ${code}`);
  expect(await codesOf('?offset=1')).toEqual(['offset unknown_field']);
  expect(await codesOf('?resource=user')).toEqual(['resource invalid_enum']);
  expect(await codesOf('?resource=')).toEqual(['resource invalid_enum']);
  expect(await codesOf('?deletion_id=')).toEqual(['deletion_id invalid_format']);
  expect(await codesOf('?deleted_at[gte]=yesterday')).toEqual(['deleted_at[gte] invalid_format']);
  expect(await codesOf('?cursor=')).toEqual(['cursor invalid_cursor']);
  expect(await codesOf('?cursor=x&cursor=y')).toEqual(['cursor conflicting_parameters']);
  expect(await codesOf(`?cursor=${cursor}&resource=account`)).toEqual(['cursor invalid_cursor']);
  const other = (await api.tenant.client('GET', '/v1/records/contacts?limit=1')).body.next_cursor;
  expect(await codesOf(`?cursor=${other}`)).toEqual(['cursor invalid_cursor']);
});

test("another organization's entries are not listed, found or restored", async () => {
  const [entry] = await trashed(1);
  const { id } = entry!.record;
  expect((await api.other.client('GET', '/v1/trash')).body.data).toEqual([]);
  expect((await api.other.client('GET', `/v1/trash/${id}`)).status).toBe(404);
  expect((await api.other.client('POST', `/v1/trash/${id}/restore`)).status).toBe(404);
  expect((await api.tenant.client('GET', `/v1/trash/${newId()}`)).status).toBe(404);
});

test('a page ends at 1 MB of records, and the next page continues', async () => {
  await api.sql('DELETE FROM trash');
  for (let i = 0; i < 5; i++) {
    const { id } = await api.make('activities', { content: '語'.repeat(100_000) });
    await api.remove('activities', id);
  }
  const { body } = await list();
  expect([body.data.length, body.has_more, body.total]).toEqual([4, true, 5]);
  expect((await list(`?cursor=${body.next_cursor}`)).body.data).toHaveLength(1);
});

test('a total above 10,000 is a lower bound', async () => {
  const [entry] = await trashed(1);
  await api.sql(
    `INSERT INTO trash (org_id, id, resource, record, deletion_id)
     SELECT t.org_id, gen_random_uuid(), t.resource, t.record, t.deletion_id FROM trash t, generate_series(1, 10000)
     WHERE t.id = $1`,
    [entry!.record.id],
  );
  expect((await list('?resource=account&limit=1')).body).toMatchObject({ total: 10_000, total_relation: 'gte' });
  expect((await list('?resource=contact')).body).toMatchObject({ total: 0 });
});
