import type { ApiClient } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, eventsOf, type SalesSite, salesSite } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
let site: SalesSite;

beforeAll(async () => void (api = await startTestApi()));
beforeEach(async () => {
  ({ client } = await createEmptyOrganization(api));
  site = salesSite(client);
});
afterAll(() => api[Symbol.asyncDispose]());

const inUse = (opportunities: number) => ({ status: 409, error: { error: 'in_use', used_by: { opportunities } } });
const target = [expect.objectContaining({ in: 'query', field: 'move_to', code: 'invalid_reference' })];

describe('a stage', () => {
  test('without opportunities is deleted and returned as it was, with an event, and is not in the trash', async () => {
    const pipeline = await site.pipeline('Sales');
    const stage = await site.stage(pipeline, 'First');
    const other = await site.stage(pipeline, 'Other');
    expect((await site.remove('stages', stage.id, `?move_to=${other.id}`)).body).toEqual({
      data: stage,
      meta: { action: 'deleted', moved: { opportunities: 0 } },
    });
    expect((await client('GET', `/v1/records/stages/${stage.id}`)).status).toBe(404);
    expect((await site.remove('stages', stage.id)).status).toBe(404);
    expect((await client('GET', '/v1/records/stages')).body.total).toBe(1);
    const { data } = (await client('GET', `/v1/records/stages/${stage.id}/history`)).body;
    expect(data.at(-1)).toMatchObject({ type: 'stage.deleted', record: stage });
    expect(data.at(-1)).not.toHaveProperty('details');
  });

  test('with opportunities is deleted only with move_to, which moves them to that stage and its pipeline', async () => {
    const [sales, renewals] = [await site.pipeline('Sales'), await site.pipeline('Renewals')];
    const [from, to] = [await site.stage(sales, 'From'), await site.stage(renewals, 'To')];
    const { id } = await site.opportunity({ stage_id: from.id });
    expect(await site.remove('stages', from.id)).toMatchObject(inUse(1));
    for (const wrong of [from.id, api.tenant.ids.stage, sales.id])
      expect((await site.remove('stages', from.id, `?move_to=${wrong}`)).error.details).toEqual(target);
    const { status, body, headers } = await site.remove('stages', from.id, `?move_to=${to.id.toUpperCase()}`);
    expect([status, body.meta]).toEqual([200, { action: 'deleted', moved: { opportunities: 1 } }]);
    const moved = (await client('GET', `/v1/records/opportunities/${id}`)).body.data;
    expect(moved).toMatchObject({ stage_id: to.id, pipeline: 'Renewals' });
    const { data } = (await client('GET', `/v1/records/opportunities/${id}/history`)).body;
    expect(data.at(-1)).toMatchObject({
      type: 'opportunity.updated',
      changed: ['stage_id', 'pipeline'],
      previous: { stage_id: from.id, pipeline: 'Sales' },
      request_id: headers.get('x-request-id'),
      record: moved,
    });
  });

  test('of several errors, the first in this order is returned: 400, 404, 412, 409', async () => {
    const stage = await site.stage(await site.pipeline('Sales'), 'First');
    await site.opportunity({ stage_id: stage.id });
    const missing = api.tenant.orgId;
    const stale = { headers: { 'If-Match': '"x"' } };
    const remove = (id: string, query = '') => client('DELETE', `/v1/records/stages/${id}${query}`, stale);
    expect((await remove(missing, `?move_to=${missing}`)).status).toBe(400);
    expect((await remove(missing, '?move_to=')).error.details).toMatchObject([{ code: 'invalid_format' }]);
    expect((await remove(missing)).status).toBe(404);
    expect((await remove(stage.id)).status).toBe(412);
    const etag = (await client('GET', `/v1/records/stages/${stage.id}`)).headers.get('etag')!;
    const current = await client('DELETE', `/v1/records/stages/${stage.id}`, { headers: { 'If-Match': etag } });
    expect(current).toMatchObject(inUse(1));
  });
});

describe('a pipeline', () => {
  test('is deleted with its stages, each with its event', async () => {
    await site.pipeline('Sales');
    const pipeline = await site.pipeline('Renewals');
    await site.stage(pipeline, 'First');
    await site.stage(pipeline, 'Second');
    await site.opportunity({ pipeline: 'Renewals' });
    expect(await site.remove('pipelines', pipeline.id)).toMatchObject({
      status: 200,
      body: { data: pipeline, meta: { action: 'deleted', moved: { opportunities: 0 } } },
    });
    expect((await eventsOf(client)).slice(-3)).toEqual(['stage.deleted', 'stage.deleted', 'pipeline.deleted']);
    expect((await client('GET', '/v1/records/stages')).body.total).toBe(0);
    const { body } = await client('GET', '/v1/events?after=start&type=pipeline.deleted,stage.deleted');
    expect(body.data.at(-1).record).toEqual(pipeline);
  });

  test('with opportunities is deleted only with a stage of another pipeline', async () => {
    const [sales, renewals] = [await site.pipeline('Sales'), await site.pipeline('Renewals')];
    const stages = [await site.stage(renewals, 'First'), await site.stage(renewals, 'Second')];
    const to = await site.stage(sales, 'To');
    for (const { id } of [...stages, stages[0]!]) await site.opportunity({ stage_id: id });
    expect(await site.remove('pipelines', renewals.id)).toMatchObject(inUse(3));
    expect((await site.remove('pipelines', renewals.id, `?move_to=${stages[1]!.id}`)).error.details).toEqual(target);
    const { body } = await site.remove('pipelines', renewals.id, `?move_to=${to.id}`);
    expect(body.meta).toEqual({ action: 'deleted', moved: { opportunities: 3 } });
    const all = (await client('GET', '/v1/records/opportunities')).body.data;
    for (const each of all) expect(each).toMatchObject({ stage_id: to.id, pipeline: 'Sales' });
  });

  test('that is the default is deleted only if it is the last one', async () => {
    const [sales, renewals] = [await site.pipeline('Sales'), await site.pipeline('Renewals')];
    const refused = await site.remove('pipelines', sales.id);
    expect(refused).toMatchObject({ status: 409, error: { error: 'conflict' } });
    expect((await site.remove('pipelines', renewals.id)).status).toBe(200);
    expect((await site.remove('pipelines', sales.id)).status).toBe(200);
    expect(await site.pipeline('New')).toMatchObject({ is_default: true });
  });
});

test('the order of stages becomes 1 to n, with an event for each that moved', async () => {
  const pipeline = await site.pipeline('Sales');
  const made = [await site.stage(pipeline, 'A'), await site.stage(pipeline, 'B'), await site.stage(pipeline, 'C')];
  const [a, b, c] = made.map(({ id }) => id) as [string, string, string];
  const response = await site.order(pipeline.id, [b, a, c.toUpperCase()]);
  expect(response.status).toBe(200);
  expect(
    response.body.data.map(({ id, display_order: at }: { id: string; display_order: number }) => [id, at]),
  ).toEqual([
    [b, 1],
    [a, 2],
    [c, 3],
  ]);
  expect((await eventsOf(client)).slice(-2)).toEqual(['stage.updated display_order', 'stage.updated display_order']);
  const isNotAll = [expect.objectContaining({ field: 'stage_ids', code: 'invalid_reference' })];
  for (const ids of [[], [a, b], [a, b, b], [a, b, c, c], [a, b, api.tenant.ids.stage], [a, b, c, pipeline.id]])
    expect((await site.order(pipeline.id, ids)).error.details).toEqual(isNotAll);
  expect((await site.order(api.tenant.ids.pipeline, [a])).status).toBe(404);
  const many = Array.from({ length: 1_001 }, () => a);
  expect((await site.order(pipeline.id, many)).error.details).toMatchObject([{ code: 'too_many' }]);
  const conditional = await client('POST', `/v1/records/pipelines/${pipeline.id}/stage-order`, {
    body: { stage_ids: [a, b, c] },
    headers: { 'If-Match': '*' },
  });
  expect(conditional.status).toBe(400);
});

test('a dry run of each operation returns what would happen; an idempotency key repeats the response of a delete', async () => {
  const pipeline = await site.pipeline('Sales');
  const [a, b] = [await site.stage(pipeline, 'A'), await site.stage(pipeline, 'B')];
  await site.opportunity({ stage_id: a.id });
  const tried = await site.remove('stages', a.id, `?move_to=${b.id}&dry_run=true`);
  expect(tried.body).toEqual({ data: a, meta: { action: 'deleted', moved: { opportunities: 1 }, dry_run: true } });
  expect(await site.remove('stages', a.id, '?dry_run=true')).toMatchObject(inUse(1));
  const ordered = await site.order(pipeline.id, [b.id, a.id], '?dry_run=true');
  expect(ordered.body.meta).toEqual({ dry_run: true });
  expect((await client('GET', `/v1/records/stages/${a.id}`)).body.data).toEqual(a);
  const once = () =>
    client('DELETE', `/v1/records/stages/${a.id}?move_to=${b.id}`, { headers: { 'Idempotency-Key': 'delete' } });
  const [first, again] = [await once(), await once()];
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
});

test("another organization's stages and pipelines cannot be deleted", async () => {
  const { ids } = api.tenant;
  for (const query of ['', '?dry_run=true']) {
    expect((await site.remove('stages', ids.stage, query)).status).toBe(404);
    expect((await site.remove('pipelines', ids.pipeline, query)).status).toBe(404);
  }
});
