import { systemActor } from '@relata/events';
import { insertRecords, newRow, opportunities } from '@relata/records';
import type { ApiClient } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, type SalesSite, salesSite } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
let orgId: string;
let site: SalesSite;

beforeAll(async () => void (api = await startTestApi()));
beforeEach(async () => {
  ({ client, orgId } = await createEmptyOrganization(api));
  site = salesSite(client);
});
afterAll(() => api[Symbol.asyncDispose]());

const rename = (id: string, name: string, query = '') =>
  client('PATCH', `/v1/records/pipelines/${id}${query}`, { body: { name } });
const read = async (id: string) => (await client('GET', `/v1/records/opportunities/${id}`)).body.data;

test("a rename changes the opportunities at the pipeline's stages, and opportunities without a stage that have exactly the old name", async () => {
  const [sales, other] = [await site.pipeline('Sales'), await site.pipeline('Other')];
  const [stage, elsewhere] = [await site.stage(sales, 'First'), await site.stage(other, 'First')];
  const atStage = await site.opportunity({ stage_id: stage.id });
  const free = await site.opportunity({ pipeline: 'Sales' });
  const others = [
    await site.opportunity({ stage_id: elsewhere.id }),
    await site.opportunity({ pipeline: 'SALES' }),
    await site.opportunity({}),
  ];
  const { status, headers } = await rename(sales.id, 'New business');
  expect(status).toBe(200);
  for (const { id, ...before } of [atStage, free]) {
    const now = await read(id);
    expect(now).toEqual({ id, ...before, pipeline: 'New business', updated_at: now.updated_at });
    expect(now.updated_at > before['updated_at']!).toBe(true);
    const { data } = (await client('GET', `/v1/records/opportunities/${id}/history`)).body;
    expect(data.at(-1)).toMatchObject({
      type: 'opportunity.updated',
      changed: ['pipeline'],
      previous: { pipeline: 'Sales' },
      request_id: headers.get('x-request-id'),
      record: now,
    });
  }
  for (const each of others) expect(await read(each.id)).toEqual(each);
});

test('a change of letter case is a rename, too; a dry run renames nothing', async () => {
  const sales = await site.pipeline('Sales');
  const { id } = await site.opportunity({ stage_id: (await site.stage(sales, 'First')).id });
  expect((await rename(sales.id, 'SALES', '?dry_run=true')).body.data.name).toBe('SALES');
  expect((await read(id)).pipeline).toBe('Sales');
  expect((await rename(sales.id, 'SALES')).status).toBe(200);
  expect((await read(id)).pipeline).toBe('SALES');
});

/** Inserts opportunities at a stage, a thousand per statement. */
async function insertDeals(count: number, fields: object): Promise<void> {
  const { id: account } = (await client('POST', '/v1/records/accounts', { body: { account_name: 'Big' } })).body.data;
  const actor = systemActor(orgId, 'test');
  const row = newRow(actor, opportunities, { opportunity_name: 'Deal', account_id: account, ...fields });
  for (let left = count; left > 0; left -= 1_000)
    await insertRecords(
      api.db.database,
      opportunities,
      Array.from({ length: Math.min(left, 1_000) }, () => row),
    );
}

const tooMany = (count: number) => ({
  status: 409,
  error: { error: 'too_many_linked', linked_count: count, linked_max: 5_000 },
});

test('a rename or a delete with move_to changes at most 5,000 opportunities', { timeout: 120_000 }, async () => {
  const [sales, other] = [await site.pipeline('Sales'), await site.pipeline('Other')];
  const [from, to] = [await site.stage(sales, 'From'), await site.stage(other, 'To')];
  await insertDeals(4_999, { stage_id: from.id, pipeline: 'Sales' });
  await insertDeals(1, { pipeline: 'Sales' });
  expect((await rename(sales.id, 'Renamed')).status).toBe(200);
  const count = async (query: string) => {
    const events = await client('GET', `/v1/events?after=latest&limit=1${query}`);
    return events.status;
  };
  expect(await count('')).toBe(200);
  await insertDeals(2, { stage_id: from.id, pipeline: 'Renamed' });
  expect(await rename(sales.id, 'Again')).toMatchObject(tooMany(5_001 + 1));
  expect((await client('GET', `/v1/records/pipelines/${sales.id}`)).body.data.name).toBe('Renamed');
  const remove = (query = '') => site.remove('stages', from.id, `?move_to=${to.id}${query}`);
  expect(await remove()).toMatchObject(tooMany(5_001));
  const [{ id }] = (await client('GET', '/v1/records/opportunities?limit=1')).body.data as [{ id: string }];
  expect((await client('PATCH', `/v1/records/opportunities/${id}`, { body: { stage_id: to.id } })).status).toBe(200);
  const removed = await remove();
  expect([removed.status, removed.body.meta.moved]).toEqual([200, { opportunities: 5_000 }]);
});

test('linked opportunities are counted up to 10,000', { timeout: 120_000 }, async () => {
  const sales = await site.pipeline('Sales');
  await insertDeals(10_001, { pipeline: 'Sales' });
  const refused = await rename(sales.id, 'Again');
  expect(refused).toMatchObject({ status: 409, error: { linked_count: 10_000, linked_count_relation: 'gte' } });
});
