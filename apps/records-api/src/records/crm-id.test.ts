import { runActor } from '@relata/events';
import { accounts, contacts, opportunities, type RecordTable, patchRecord } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

interface Kind {
  table: RecordTable<unknown>;
  id: () => string;
  fields: () => object;
}

const kinds: Kind[] = [
  { table: accounts, id: () => api.tenant.ids.account, fields: () => ({ account_name: 'A' }) },
  { table: contacts, id: () => api.tenant.ids.contact, fields: () => ({ first_name: 'A', last_name: 'B' }) },
  {
    table: opportunities,
    id: () => api.tenant.ids.opportunity,
    fields: () => ({ opportunity_name: 'A', account_id: api.tenant.ids.account, stage_id: api.tenant.ids.stage }),
  },
];

test.each(kinds)(
  'B2.4: the API shows the crm_id of $table.name, and never writes it',
  async ({ table, id, fields }) => {
    const path = `/v1/records/${table.name}`;
    const { client, orgId } = api.tenant;
    const run = runActor(orgId, { runId: 'run-1', workflow: 'sync', step: 'link', depth: 0 });
    await api.db.database.transaction((db) => patchRecord(db, run, table, { id: id(), patch: { crm_id: 'crm-1' } }));
    for (const crm_id of ['mine', null, 5]) {
      const body = { ...fields(), crm_id };
      const created = await client('POST', path, { body });
      expect(created.status).toBe(201);
      expect(created.body.data).not.toHaveProperty('crm_id');
      expect((await client('PATCH', `${path}/${id()}`, { body })).body.data.crm_id).toBe('crm-1');
    }
    expect((await client('GET', `${path}/${id()}`)).body.data.crm_id).toBe('crm-1');
  },
);

test.each(kinds)(
  'the response says that the crm_id in a body of $table.name was ignored, if the record has a different one',
  async ({ table, fields }) => {
    const path = `/v1/records/${table.name}`;
    const { client } = api.tenant;
    const metaOf = async (method: string, to: string, body: object) => (await client(method, to, { body })).body.meta;
    const ignored = { ignored: ['crm_id'] };
    for (const [crm_id, meta] of [
      ['mine', ignored],
      [5, ignored],
      ['', ignored],
      [null, undefined],
    ] as const)
      expect(await metaOf('POST', path, { ...fields(), crm_id })).toEqual(meta);
    expect(await metaOf('POST', `${path}?dry_run=true`, { ...fields(), crm_id: 'x' })).toEqual({
      ...ignored,
      dry_run: true,
    });
    const { id } = (await client('POST', path, { body: fields() })).body.data;
    expect(await metaOf('PATCH', `${path}/${id}`, { crm_id: null })).toBeUndefined();
    await client('POST', `${path}/upsert`, { body: { match: { id }, set: { crm_id: `known ${id}` } } });
    for (const [crm_id, meta] of [
      ['other', ignored],
      [null, ignored],
      [`known ${id}`, undefined],
    ] as const) {
      expect(await metaOf('PATCH', `${path}/${id}`, { tags: ['x'], crm_id })).toEqual(meta);
      const items = [{ id, set: { crm_id } }];
      const { data } = (await client('POST', `${path}/batch`, { body: { operation: 'update', items } })).body;
      expect(data[0].meta).toEqual({ action: 'unchanged', ...meta });
    }
    const items = [{ ...fields(), crm_id: 'x' }, fields()];
    const { data } = (await client('POST', `${path}/batch`, { body: { operation: 'create', items } })).body;
    expect(data.map((item: { meta: object }) => item.meta)).toEqual([
      { action: 'created', ...ignored },
      { action: 'created' },
    ]);
  },
);

test('an activity, which has no crm_id, ignores one silently', async () => {
  const body = { content: 'Called.', crm_id: 'x' };
  expect(await api.tenant.client('POST', '/v1/activities/custom', { body })).not.toHaveProperty('body.meta');
});
