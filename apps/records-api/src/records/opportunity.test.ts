import { systemActor } from '@relata/events';
import { insertRecords, newRow, pipelines, stages } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
let otherStage: string;
const path = '/v1/records/opportunities';

beforeAll(async () => {
  api = await startTestApi();
  otherStage = await createStage('Renewals');
});
afterAll(() => api[Symbol.asyncDispose]());

async function createStage(pipelineName: string): Promise<string> {
  const actor = systemActor(api.tenant.orgId, 'test');
  const pipeline = newRow(actor, pipelines, { name: pipelineName, active: true, is_default: false });
  const [created] = await insertRecords(api.db.database, pipelines, [pipeline]);
  const flags = { is_won: false, is_lost: false, is_closed: false, active: true, display_order: 1 };
  const stage = newRow(actor, stages, { pipeline_id: created!.id, name: 'First', ...flags });
  const [first] = await insertRecords(api.db.database, stages, [stage]);
  return first!.id;
}

const create = (fields: object) =>
  api.tenant.client('POST', path, {
    body: { opportunity_name: 'Deal', account_id: api.tenant.ids.account, ...fields },
  });
const patch = (id: string, body: object) => api.tenant.client('PATCH', `${path}/${id}`, { body });
const invalidReference = (field: string) => [expect.objectContaining({ in: 'body', field, code: 'invalid_reference' })];

test("with a stage and no pipeline, the name of the stage's pipeline is stored", async () => {
  expect((await create({ stage_id: api.tenant.ids.stage })).body.data).toMatchObject({ pipeline: 'Sales' });
});

test('a pipeline without a stage is a free name', async () => {
  expect((await create({ pipeline: 'Anything' })).body.data).toMatchObject({ pipeline: 'Anything' });
});

test('refuses a stage and a pipeline that do not agree', async () => {
  const { status, error } = await create({ stage_id: api.tenant.ids.stage, pipeline: 'Other' });
  expect(status).toBe(400);
  expect(error.details).toEqual(invalidReference('pipeline'));
  expect((await create({ stage_id: api.tenant.ids.stage, pipeline: 'Sales' })).status).toBe(201);
});

test('a patch that sets the stage or the pipeline keeps both in agreement', async () => {
  const { id } = (await create({ stage_id: api.tenant.ids.stage })).body.data;
  expect((await patch(id, { pipeline: 'Other' })).error.details).toEqual(invalidReference('pipeline'));
  expect((await patch(id, { stage_id: otherStage })).body.data).toMatchObject({
    stage_id: otherStage,
    pipeline: 'Renewals',
  });
  expect((await patch(id, { pipeline: null })).body.data).toMatchObject({ pipeline: 'Renewals' });
  const cleared = (await patch(id, { stage_id: null, pipeline: 'Free' })).body.data;
  expect(cleared).toMatchObject({ pipeline: 'Free' });
  expect(cleared).not.toHaveProperty('stage_id');
});

test('the references of a patch are checked before a missing record is reported', async () => {
  const { id } = (await create({})).body.data;
  expect((await patch(id, { account_id: api.other.ids.account })).error.details).toEqual(
    invalidReference('account_id'),
  );
  expect((await patch(id, { stage_id: api.other.ids.stage })).error.details).toEqual(invalidReference('stage_id'));
  const missing = api.tenant.orgId;
  expect((await patch(missing, { stage_id: api.other.ids.stage })).status).toBe(400);
  expect((await patch(missing, { account_id: api.other.ids.account })).status).toBe(400);
  expect((await patch(missing, { stage_id: otherStage })).status).toBe(404);
});

test('missing references are reported together with all other problems', async () => {
  const named = async (fields: object) =>
    (await create(fields)).error.details?.map(({ field, code }) => `${field} ${code}`);
  const foreign = api.other.ids;
  expect(await named({ account_id: foreign.account, amount: 'x' })).toEqual([
    'amount invalid_type',
    'account_id invalid_reference',
  ]);
  const disagreeing = { account_id: foreign.account, stage_id: api.tenant.ids.stage, pipeline: 'Other' };
  expect(await named(disagreeing)).toEqual(['account_id invalid_reference', 'pipeline invalid_reference']);
  expect(await named({ account_id: 'x', stage_id: foreign.stage })).toEqual([
    'account_id invalid_format',
    'stage_id invalid_reference',
  ]);
});

test('a stage and a pipeline that disagree are reported before a missing record', async () => {
  const body = { stage_id: api.tenant.ids.stage, pipeline: 'Other' };
  for (const id of [api.tenant.orgId, 'nonsense']) expect((await patch(id, body)).status).toBe(400);
  expect((await patch('nonsense', { stage_id: api.tenant.orgId })).status).toBe(400);
});

test.each([
  [0, 0],
  [-0, 0],
  [0.1, 0.1],
  [1.0001, 1.0001],
  [-12.5, -12.5],
  [999_999_999_999_999, 999_999_999_999_999],
  [99_999_999_999.9999, 99_999_999_999.9999],
])('the amount %s is returned as the number that was sent', async (amount, shown) => {
  const { data } = (await create({ amount })).body;
  expect(data.amount).toBe(shown);
});

test.each([
  ['2026-12-31T17:00:00Z', '2026-12-31T17:00:00.000Z'],
  ['2026-12-31T17:00:00.5+02:00', '2026-12-31T15:00:00.500Z'],
  ['2026-12-31T17:00-0330', '2026-12-31T20:30:00.000Z'],
  ['20261231T170000Z', '2026-12-31T17:00:00.000Z'],
  ['2026-12-31t17:00:00z', '2026-12-31T17:00:00.000Z'],
  ['2026-12-31T17:00:00.123456789Z', '2026-12-31T17:00:00.123Z'],
  ['2026-12-31T17:00:00,25Z', '2026-12-31T17:00:00.250Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  [null, null],
])('the date %s is returned as %s', async (close_date, shown) => {
  const { body, text } = await create({ close_date });
  expect(body.data?.close_date, text).toBe(shown);
  const read = await api.tenant.client('GET', `${path}/${body.data.id}`);
  expect(read.body.data.close_date).toBe(shown);
});
