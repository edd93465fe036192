import { operatorActor } from '@relata/events';
import { createPipeline } from '@relata/records';
import type { ApiClient } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, eventsOf } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
const path = '/v1/records/pipelines';

beforeAll(async () => void (api = await startTestApi()));
beforeEach(async () => void ({ client } = await createEmptyOrganization(api)));
afterAll(() => api[Symbol.asyncDispose]());

const create = (body: object) => client('POST', path, { body });
const patch = (id: string, body: object, headers = {}) => client('PATCH', `${path}/${id}`, { body, headers });
const defaults = async () => {
  const { body } = await client('GET', path);
  return body.data.flatMap((each: { name: string; is_default: boolean }) => (each.is_default ? [each.name] : []));
};

test('the first pipeline becomes the default, even if the body says otherwise; it is active by default', async () => {
  const made = await create({ name: 'Sales', is_default: false });
  expect(made).toMatchObject({ status: 201, body: { data: { name: 'Sales', active: true, is_default: true } } });
  expect(await create({ name: 'Renewals', active: false })).toMatchObject({
    status: 201,
    body: { data: { active: false, is_default: false } },
  });
});

test('null in a new pipeline counts as an absent field; a patch refuses null', async () => {
  const fields = { active: null, is_default: null };
  const made = await create({ name: 'Sales', ...fields });
  expect(made).toMatchObject({ status: 201, body: { data: { active: true, is_default: true } } });
  expect((await create({ name: 'Renewals', ...fields })).body.data).toMatchObject({ active: true, is_default: false });
  const refused = await patch(made.body.data.id, fields);
  expect(refused.error.details?.map(({ field, code }) => `${field} ${code}`)).toEqual([
    'active null_not_allowed',
    'is_default null_not_allowed',
  ]);
});

test('a new default replaces the old one, by POST and by PATCH, and both pipelines have an event', async () => {
  const first = (await create({ name: 'First' })).body.data;
  await create({ name: 'Second', is_default: true });
  expect(await defaults()).toEqual(['Second']);
  expect((await patch(first.id, { is_default: true })).body.data.is_default).toBe(true);
  expect(await defaults()).toEqual(['First']);
  expect(await eventsOf(client)).toEqual([
    'pipeline.created',
    'pipeline.updated is_default',
    'pipeline.created',
    'pipeline.updated is_default',
    'pipeline.updated is_default',
  ]);
});

test('the default cannot be set to false: 409, after a wrong version: 412', async () => {
  const { id } = (await create({ name: 'Sales' })).body.data;
  expect(await patch(id, { is_default: false })).toMatchObject({ status: 409, error: { error: 'conflict' } });
  expect(await patch(id, { is_default: false }, { 'If-Match': '"other"' })).toMatchObject({ status: 412 });
  expect(await defaults()).toEqual(['Sales']);
});

test('a name in use is refused in any letter case, with the ids of the pipelines that have it', async () => {
  const { id } = (await create({ name: 'Éclair' })).body.data;
  const other = (await create({ name: 'Other' })).body.data;
  const used = { status: 409, error: { error: 'already_exists', candidate_ids: [id], candidate_count: 1 } };
  expect(await create({ name: 'éCLAIR' })).toMatchObject(used);
  expect(await patch(other.id, { name: 'ÉCLAIR' })).toMatchObject(used);
  expect(await patch(other.id, { name: 'ÉCLAIR' }, { 'If-Match': '"other"' })).toMatchObject({ status: 412 });
  expect(await patch(id, { name: 'ÉCLAIR' })).toMatchObject({ status: 200, body: { data: { name: 'ÉCLAIR' } } });
});

test('another organization may use the same name, and its pipelines are not found', async () => {
  const { id } = (await create({ name: 'Sales' })).body.data;
  const { client: other } = await createEmptyOrganization(api);
  expect((await other('POST', path, { body: { name: 'Sales' } })).status).toBe(201);
  expect((await other('PATCH', `${path}/${id}`, { body: { name: 'Theirs', is_default: false } })).status).toBe(404);
});

test('a patch that changes nothing keeps the version and writes no event', async () => {
  const made = await create({ name: 'Sales' });
  const { data } = made.body;
  const same = await patch(data.id, { ...data, crm_id: 'x' }, { 'If-Match': made.headers.get('etag')! });
  expect(same).toMatchObject({ status: 200, body: { data, meta: { ignored: ['crm_id'] } } });
  expect(await eventsOf(client)).toEqual(['pipeline.created']);
});

test('pipelines of equal names that the command-line tool has created can be changed, but not renamed to the same name', async () => {
  const { orgId, client: own } = await createEmptyOrganization(api);
  const twin = () => createPipeline(api.db, operatorActor(orgId, 'test'), { name: 'Twin' });
  const [first, second] = [await twin(), await twin()];
  expect([first.is_default, second.is_default]).toEqual([true, false]);
  const change = (body: object) => own('PATCH', `${path}/${second.id}`, { body });
  expect((await change({ name: 'Twin', active: false })).status).toBe(200);
  expect((await change({ name: 'TWIN' })).error).toMatchObject({ candidate_ids: [first.id] });
});

test('B8.2: if two new defaults are created at once, one of them is the default', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `Default ${i}`);
  const made = await Promise.all(names.map((name) => create({ name, is_default: true })));
  expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect(await defaults()).toHaveLength(1);
  const patched = await Promise.all(made.map(({ body }) => patch(body.data.id, { is_default: true })));
  expect(patched.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(await defaults()).toHaveLength(1);
});

test('if many pipelines with the same name are created at once, only one is created', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, (_, i) => create({ name: i % 2 ? 'SALES' : 'Sales' })));
  expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 11 }, () => 409),
  ]);
});

test('a dry run returns what would happen, and an idempotency key repeats the response', async () => {
  const tried = await client('POST', `${path}?dry_run=true`, { body: { name: 'Sales' } });
  expect(tried).toMatchObject({ status: 201, body: { data: { is_default: true }, meta: { dry_run: true } } });
  expect(await defaults()).toEqual([]);
  const headers = { 'Idempotency-Key': 'once' };
  const made = await client('POST', path, { body: { name: 'Sales' }, headers });
  const again = await client('POST', path, { body: { name: 'Sales' }, headers });
  expect([made.status, again.status, again.text]).toEqual([201, 201, made.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const refused = await client('POST', `${path}?dry_run=true`, { body: { name: 'sales' } });
  expect(refused).toMatchObject({ status: 409, error: { error: 'already_exists' } });
});

test.each([
  [{}, 'name required'],
  [{ name: '' }, 'name too_short'],
  [{ name: 'x'.repeat(256) }, 'name too_long'],
  [{ name: 'a\u0000b' }, 'name invalid_format'],
  [{ name: 'x', is_default: 'true' }, 'is_default invalid_type'],
  [{ name: 'x', color: 'red' }, 'color unknown_field'],
])('%j is refused: %s', async (body, problem) => {
  const { status, error } = await create(body);
  expect(status).toBe(400);
  expect(error.details?.map(({ field, code }) => `${field} ${code}`)).toEqual([problem]);
});

test('a key without settings:write cannot change settings, even with all other scopes', async () => {
  const key = await api.keyWith(['records:read', 'records:write', 'activities:write', 'events:read', 'chat']);
  for (const [method, at] of [
    ['POST', path],
    ['PATCH', `${path}/${api.tenant.ids.pipeline}`],
    ['POST', '/v1/records/stages'],
    ['PATCH', `/v1/records/stages/${api.tenant.ids.stage}`],
    ['POST', '/v1/records/users'],
    ['PATCH', `/v1/records/users/${api.tenant.ids.user}`],
  ] as const) {
    const response = await api.tenant.client(method, at, { key, body: {} });
    expect(response).toMatchObject({ status: 403, error: { required_scopes: ['settings:write'] } });
  }
});
