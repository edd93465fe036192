import type { ApiClient } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, eventsOf } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
let pipeline: string;
const path = '/v1/records/stages';

beforeAll(async () => void (api = await startTestApi()));
beforeEach(async () => {
  ({ client } = await createEmptyOrganization(api));
  pipeline = (await client('POST', '/v1/records/pipelines', { body: { name: 'Sales' } })).body.data.id;
});
afterAll(() => api[Symbol.asyncDispose]());

const create = (body: object) => client('POST', path, { body: { pipeline_id: pipeline, name: 'A stage', ...body } });
const patch = (id: string, body: object, headers = {}) => client('PATCH', `${path}/${id}`, { body, headers });
const problems = ({ error }: Awaited<ReturnType<ApiClient>>) =>
  error.details?.map(({ field, code }) => `${field} ${code}`);

test('a new stage becomes the last of its pipeline, is open and active, and has an event with these values', async () => {
  expect((await create({ name: 'First' })).body.data).toMatchObject({
    display_order: 1,
    is_won: false,
    is_lost: false,
    is_closed: false,
    active: true,
  });
  expect((await create({ display_order: 40 })).body.data.display_order).toBe(40);
  expect((await create({})).body.data.display_order).toBe(41);
  expect((await create({ display_order: 2_147_483_647 })).status).toBe(201);
  expect((await create({})).body.data.display_order).toBe(2_147_483_647);
  expect((await eventsOf(client)).filter((type) => type === 'stage.created')).toHaveLength(5);
});

test('null in a new stage counts as an absent field; a patch refuses null', async () => {
  const names = ['is_won', 'is_lost', 'is_closed', 'active', 'display_order'];
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  const made = await create(nothing);
  const expected = { is_won: false, is_lost: false, is_closed: false, active: true, display_order: 1 };
  expect(made).toMatchObject({ status: 201, body: { data: expected } });
  expect((await create({ ...nothing, is_won: true })).body.data).toMatchObject({ is_won: true, is_closed: true });
  expect(problems(await patch(made.body.data.id, nothing))).toEqual(names.map((name) => `${name} null_not_allowed`));
});

test('stages that are created concurrently get different positions', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => create({})));
  const places = made.map(({ body }) => body.data.display_order);
  expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

describe('won and lost', () => {
  test.each([
    [{ is_won: true }, { is_won: true, is_lost: false, is_closed: true }],
    [
      { is_lost: true, is_closed: true },
      { is_won: false, is_lost: true, is_closed: true },
    ],
    [{ is_closed: true }, { is_won: false, is_lost: false, is_closed: true }],
  ])('%j is stored together with the flags that follow from it', async (given, stored) => {
    expect((await create(given)).body.data).toMatchObject(stored);
  });

  test.each([
    [{ is_won: true, is_lost: true }, 'is_lost conflicting_fields'],
    [{ is_won: true, is_closed: false }, 'is_closed conflicting_fields'],
    [{ is_lost: true, is_closed: false }, 'is_closed conflicting_fields'],
  ])('%j is refused: %s', async (given, problem) => {
    expect(problems(await create(given))).toEqual([problem]);
    expect(problems(await create({ ...given, name: '' }))).toEqual(['name too_short', problem]);
    const { id } = (await create({})).body.data;
    expect(problems(await patch(id, { ...given, name: '' }))).toEqual(['name too_short', problem]);
  });

  test('a patch is validated by its result', async () => {
    const { id } = (await create({ is_lost: true })).body.data;
    expect(problems(await patch(id, { is_won: true }))).toEqual(['is_won conflicting_fields']);
    expect(problems(await patch(id, { is_closed: false }))).toEqual(['is_closed conflicting_fields']);
    const won = await patch(id, { is_won: true, is_lost: false });
    expect(won).toMatchObject({ status: 200, body: { data: { is_won: true, is_lost: false, is_closed: true } } });
    expect((await patch(id, { is_won: false })).body.data).toMatchObject({ is_won: false, is_closed: true });
    expect((await patch(id, { is_closed: false })).body.data).toMatchObject({ is_closed: false });
    expect((await eventsOf(client)).slice(2)).toEqual([
      'stage.updated is_won is_lost',
      'stage.updated is_won',
      'stage.updated is_closed',
    ]);
  });
});

test('a stage stays in its pipeline: 409, after 404 and 412; its own pipeline may be sent', async () => {
  const { id } = (await create({})).body.data;
  const other = (await client('POST', '/v1/records/pipelines', { body: { name: 'Other' } })).body.data.id;
  expect(await patch(id, { pipeline_id: other })).toMatchObject({ status: 409, error: { error: 'conflict' } });
  expect((await patch(id, { pipeline_id: other }, { 'If-Match': '"x"' })).status).toBe(412);
  expect((await patch(other, { pipeline_id: other })).status).toBe(404);
  expect((await patch(id, { pipeline_id: pipeline.toUpperCase(), name: 'New' })).body.data.name).toBe('New');
});

test("another organization's pipeline: 400, together with contradicting flags", async () => {
  const response = await create({ pipeline_id: api.tenant.ids.pipeline, is_won: true, is_lost: true });
  expect(problems(response)).toEqual(['is_lost conflicting_fields', 'pipeline_id invalid_reference']);
  const { id } = (await create({})).body.data;
  expect(problems(await patch(id, { pipeline_id: api.tenant.ids.pipeline }))).toEqual([
    'pipeline_id invalid_reference',
  ]);
});

test('texts of a stage can be cleared with null, and can have the maximum length', async () => {
  const { id, exit_criteria: kept } = (await create({ exit_criteria: '🦾'.repeat(100_000) })).body.data;
  expect(kept).toHaveLength(200_000);
  expect((await patch(id, { exit_criteria: null })).body.data).not.toHaveProperty('exit_criteria');
  expect(problems(await patch(id, { entry_criteria: 'a\u0000' }))).toEqual(['entry_criteria invalid_format']);
  expect(problems(await patch(id, { display_order: 2_147_483_648 }))).toEqual(['display_order out_of_range']);
});

test('a dry run stores nothing, and an idempotency key repeats the response', async () => {
  expect(await client('POST', `${path}?dry_run=true`, { body: { pipeline_id: pipeline, name: 'X' } })).toMatchObject({
    status: 201,
    body: { data: { display_order: 1 }, meta: { dry_run: true } },
  });
  const headers = { 'Idempotency-Key': 'stage' };
  const [a, b] = [await client('POST', path, { body: { pipeline_id: pipeline, name: 'X' }, headers }), undefined];
  const again = await client('POST', path, { body: { pipeline_id: pipeline, name: 'X' }, headers });
  expect([a.status, again.text, b]).toEqual([201, a.text, undefined]);
  expect((await client('GET', path)).body.total).toBe(1);
});
