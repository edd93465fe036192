import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const path = '/v1/activities/custom';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const create = (fields: object) => api.tenant.client('POST', path, { body: { content: 'Called.', ...fields } });

async function createContacts(count: number): Promise<string[]> {
  const body = { first_name: 'A', last_name: 'B' };
  const responses = await Promise.all(
    Array.from({ length: count }, () => api.tenant.client('POST', '/v1/records/contacts', { body })),
  );
  return responses.map(({ body: { data } }) => data.id);
}

test('fields that are not given get their defaults', async () => {
  const before = Date.now();
  const { status, body } = await create({});
  expect(status).toBe(201);
  const { id, date_time, created_at, updated_at, ...rest } = body.data;
  expect(rest).toEqual({
    content: 'Called.',
    interaction_type: 'custom',
    direction: null,
    source: 'api',
    tags: [],
    owner_id: null,
    contact_ids: [],
    opportunity_ids: [],
  });
  expect(date_time).toBe(created_at);
  expect(Date.parse(date_time)).toBeGreaterThan(before - 1_000);
  expect(Date.parse(date_time)).toBeLessThan(Date.now() + 1_000);
  expect((await api.tenant.client('GET', `${path}/${id}`)).body).toEqual(body);
});

test('null for an optional field means absent', async () => {
  const nothing = {
    direction: null,
    tags: null,
    date_time: null,
    source: null,
    owner_id: null,
    contact_ids: null,
    opportunity_ids: null,
  };
  const { status, body } = await create(nothing);
  expect(status).toBe(201);
  expect(body.data).toMatchObject({ source: 'api', tags: [], contact_ids: [] });
  expect(body.data.date_time).toBe(body.data.created_at);
});

test('links keep their order, each once', async () => {
  const [a, b, c] = await createContacts(3);
  const { body } = await create({
    contact_ids: [c, a, c!.toUpperCase(), b],
    opportunity_ids: [api.tenant.ids.opportunity],
  });
  expect(body.data.contact_ids).toEqual([c, a, b]);
  expect((await api.tenant.client('GET', `${path}/${body.data.id}`)).body).toEqual(body);
});

test('filters find activities by their links', async () => {
  const [contact] = await createContacts(1);
  const { id } = (await create({ contact_ids: [contact], opportunity_ids: [api.tenant.ids.opportunity] })).body.data;
  await create({ contact_ids: [contact] });
  const find = async (query: string) => (await api.tenant.client('GET', `${path}?${query}`)).body;
  expect(await find(`contact_id=${contact}`)).toMatchObject({ total: 2 });
  expect(await find(`contact_id=${contact}&opportunity_id=${api.tenant.ids.opportunity}`)).toMatchObject({
    total: 1,
    data: [{ id }],
  });
  expect(await find(`contact_id=${contact}&offset=1`)).toMatchObject({ total: 2, data: [{ contact_ids: [contact] }] });
  expect((await api.other.client('GET', `${path}?contact_id=${contact}`)).body).toMatchObject({ total: 0, data: [] });
});

test('one invalid activity among many concurrent ones fails alone', async () => {
  const good = Array.from({ length: 30 }, (_, i) => create({ content: `good ${i}` }));
  const bad = create({ owner_id: api.other.ids.user, contact_ids: [api.tenant.orgId] });
  const more = Array.from({ length: 30 }, (_, i) => create({ content: `more ${i}` }));
  expect((await bad).error.details?.map(({ field }) => field)).toEqual(['owner_id', 'contact_ids']);
  expect((await bad).status).toBe(400);
  for (const { status } of await Promise.all([...good, ...more])) expect(status).toBe(201);
});

test.each([
  ['content', '', 'too_short'],
  ['content', 'x'.repeat(100_001), 'too_long'],
  ['direction', 'sideways', 'invalid_enum'],
  ['date_time', '2026-01-31', 'invalid_format'],
  ['source', 'x'.repeat(2_049), 'too_long'],
  ['owner_id', 'nonsense', 'invalid_format'],
  ['contact_ids', 'nonsense', 'invalid_type'],
  ['interaction_type', 'custom', 'unknown_field'],
])('refuses %s with %j as %s', async (field, value, code) => {
  const { status, error } = await create({ [field]: value });
  expect(status).toBe(400);
  expect(error.details).toEqual([expect.objectContaining({ field, code })]);
});

test('stores content of 100,000 characters, regardless of their size in bytes', async () => {
  const content = '🦾'.repeat(100_000);
  expect((await create({ content })).body.data.content).toBe(content);
});
