import { workflowRunIn } from '@relata/events';
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
    const run = workflowRunIn(orgId, { runId: 'run-1', workflow: 'sync', step: 'link', depth: 0 });
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
