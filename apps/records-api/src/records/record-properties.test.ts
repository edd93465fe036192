import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resources as declared } from '@relata/schemas';
import { type ChangedResource, faults, valid } from './arbitrary-record.harness.ts';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const resources = Object.keys(valid) as ChangedResource[];
const pathOf = (resource: string) => `/v1/records/${resource}`;
const withAccount = (resource: string, body: object) =>
  resource === 'opportunities' ? { account_id: api.tenant.ids.account, ...body } : body;

const requiredOf: Record<ChangedResource, object> = {
  accounts: { account_name: 'A' },
  contacts: { first_name: 'A', last_name: 'B' },
  opportunities: { opportunity_name: 'A' },
};

/** Fields that other tests compare by their meaning. */
const notGenerated = ['close_date'];

test.each(resources)('this test has accepted and refused values for every field of %s (found D10)', (plural) => {
  const { fields, references } = declared.find((each) => each.plural === plural)!;
  const names = Object.keys(fields);
  const accepted = new Set(fc.sample(valid[plural], { numRuns: 300, seed: 1 }).flatMap((body) => Object.keys(body)));
  const elsewhere = new Set([...Object.keys(references), ...notGenerated]);
  expect(names.filter((name) => !accepted.has(name) && !elsewhere.has(name))).toEqual([]);
  const refused = new Set(faults[plural].map(({ field }) => field));
  expect(names.filter((name) => !refused.has(name))).toEqual([]);
});

describe.each(resources)('%s', (resource) => {
  test('a valid record is returned byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(valid[resource], async (fields) => {
        const sent = withAccount(resource, fields);
        const created = await api.tenant.client('POST', pathOf(resource), { body: sent });
        expect(created.status, created.text).toBe(201);
        const read = await api.tenant.client('GET', `${pathOf(resource)}/${created.body.data.id}`);
        expect(read.body).toEqual(created.body);
        const { id, created_at, updated_at, close_date, ...rest } = read.body.data;
        expect(rest).toEqual({ ...('tags' in rest && { tags: [] }), ...sent });
        expect(updated_at).toBe(created_at);
      }),
      { numRuns: 60 },
    );
  });

  test('a patch changes only its fields', async () => {
    await fc.assert(
      fc.asyncProperty(valid[resource], valid[resource], async (before, patch) => {
        const created = await api.tenant.client('POST', pathOf(resource), { body: withAccount(resource, before) });
        const path = `${pathOf(resource)}/${created.body.data.id}`;
        const patched = await api.tenant.client('PATCH', path, { body: patch });
        expect(patched.status, patched.text).toBe(200);
        const { updated_at } = patched.body.data;
        expect(patched.body.data).toEqual({ ...created.body.data, ...patch, updated_at });
        expect(updated_at > created.body.data.updated_at).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('the answer of a GET can be sent back whole', async () => {
    const created = await api.tenant.client('POST', pathOf(resource), {
      body: withAccount(resource, requiredOf[resource]),
    });
    const path = `${pathOf(resource)}/${created.body.data.id}`;
    const patched = await api.tenant.client('PATCH', path, { body: created.body.data });
    expect(patched.status, patched.text).toBe(200);
    expect(patched.body.data).toEqual({ ...created.body.data, updated_at: patched.body.data.updated_at });
  });

  const cases = faults[resource].map(
    (fault) => [fault.field, fault.code, JSON.stringify(fault.value).slice(0, 40), fault] as const,
  );
  test.each(cases)('refuses %s as %s: %s', async (field, code, _shown, fault) => {
    const anyNames = expect.arrayContaining([expect.any(String)]);
    const allowed = code === 'invalid_enum' && { allowed: anyNames };
    const detail = { in: 'body', field: fault.at ?? field, code, message: expect.any(String), ...allowed };
    // JSON.stringify escapes a lone surrogate, so the surrogate reaches the server.
    const body = JSON.stringify({ ...withAccount(resource, requiredOf[resource]), [field]: fault.value });
    const created = await api.tenant.client('POST', pathOf(resource), { body });
    expect(created.status).toBe(400);
    expect(created.error.details).toEqual([detail]);
    const path = `${pathOf(resource)}/${api.tenant.ids[({ accounts: 'account', contacts: 'contact', opportunities: 'opportunity' } as const)[resource]]}`;
    const patched = await api.tenant.client('PATCH', path, { body: JSON.stringify({ [field]: fault.value }) });
    expect(patched.error.details).toEqual([detail]);
  });

  test.each(Object.keys(requiredOf[resource]))('requires %s, and refuses to clear it', async (field) => {
    const { [field]: _left, ...rest } = withAccount(resource, requiredOf[resource]) as Record<string, unknown>;
    const missing = await api.tenant.client('POST', pathOf(resource), { body: rest });
    expect(missing.error.details).toEqual([expect.objectContaining({ field, code: 'required' })]);
    const nothing = await api.tenant.client('POST', pathOf(resource), { body: { ...rest, [field]: null } });
    expect(nothing.error.details).toEqual([expect.objectContaining({ field, code: 'null_not_allowed' })]);
  });

  test('reports the first hundred of very many problems, and their number (found A1)', async () => {
    // As many names as fit into one megabyte, each with three printable characters.
    const names = Array.from({ length: 130_000 }, (_, i) => [i % 54, Math.floor(i / 54) % 54, Math.floor(i / 2_916)]);
    const body = Object.fromEntries(names.map((digits) => [String.fromCharCode(...digits.map((n) => n + 36)), 1]));
    const { status, error } = await api.tenant.client('POST', pathOf(resource), { body });
    expect([status, error.details?.length]).toEqual([400, 100]);
    expect(error.message).toMatch(/^13000\d fields are invalid\.$/);
  });

  test('a value nested as deeply as a body allows is handled without an internal error', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const sent = JSON.stringify(withAccount(resource, requiredOf[resource])).replace(/\}$/, `,"id":${deep}}`);
    expect((await api.tenant.client('POST', pathOf(resource), { body: sent })).status).toBe(201);
    const wrong = sent.replace('"id"', '"tags"');
    expect((await api.tenant.client('POST', pathOf(resource), { body: wrong })).status).toBe(400);
  });

  test('reports every problem at once', async () => {
    const { error } = await api.tenant.client('POST', `${pathOf(resource)}?x=1`, { body: { tags: 1, nonsense: 1 } });
    expect(error.details!.length).toBeGreaterThanOrEqual(4);
    expect(error.message).toBe(`${error.details!.length} fields are invalid.`);
  });
});
