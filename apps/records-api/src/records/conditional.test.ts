import { operatorActor, runActor } from '@relata/events';
import { accounts as accountTable, createPipeline, patchRecord } from '@relata/records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';

beforeAll(async () => void (api = await startTestApi({ rateLimit: { points: 10_000, windowMs: 600_000 } })));
afterAll(() => api[Symbol.asyncDispose]());

type Sent = Parameters<typeof api.tenant.client>[2];
const call = (method: string, path: string, sent?: Sent) => api.tenant.client(method, path, sent);

async function newAccount() {
  const { body, headers } = await call('POST', accounts, { body: { account_name: 'Acme', city: 'Bern' } });
  return { path: `${accounts}/${body.data.id}`, data: body.data, etag: headers.get('etag')! };
}

const patch = (path: string, body: object, ifMatch: string) =>
  call('PATCH', path, { body, headers: { 'if-match': ifMatch } });

describe('an ETag', () => {
  test('is the same for a version in every kind of response, and differs after each change', async () => {
    const { path, etag } = await newAccount();
    expect(etag).toMatch(/^"[0-9a-z]{8}"$/);
    for (const method of ['GET', 'HEAD']) expect((await call(method, path)).headers.get('etag')).toBe(etag);
    const unchanged = await call('PATCH', path, { body: { city: 'Bern' } });
    expect(unchanged.headers.get('etag')).toBe(etag);
    const changed = await call('PATCH', path, { body: { city: 'Basel' } });
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect((await call('GET', path)).headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  test('B5.3: differs after any change of its record: by a client, a batch, a run, an operator', async () => {
    const { path, data, etag } = await newAccount();
    const [{ id }, { orgId }, { database }] = [data, api.tenant, api.db];
    const run = runActor(orgId, { runId: orgId, workflow: 'w', step: 's', depth: 0 });
    const batch = (body: object) => call('POST', `${accounts}/batch`, { body });
    const changes = [
      () => call('PATCH', path, { body: { city: 'A' } }),
      () => call('POST', `${accounts}/upsert`, { body: { match: { id }, set: { city: 'B' } } }),
      () => batch({ operation: 'update', items: [{ id, set: { city: 'C' } }] }),
      () => batch({ operation: 'upsert', atomic: true, items: [{ match: { id }, set: { city: 'D' } }] }),
      () => database.transaction((db) => patchRecord(db, run, accountTable, { id, patch: { city: 'E' } })),
    ];
    const seen = [etag];
    for (const change of changes) {
      await change();
      seen.push((await call('GET', path)).headers.get('etag')!);
    }
    expect(new Set(seen).size).toBe(changes.length + 1);
    const pipeline = (name: string) =>
      createPipeline({ database }, operatorActor(orgId, 'test'), { name, is_default: true });
    const first = `/v1/records/pipelines/${(await pipeline('First')).id}`;
    const before = (await call('GET', first)).headers.get('etag');
    await pipeline('Takes over');
    expect((await call('GET', first)).headers.get('etag')).not.toBe(before);
  });

  test('exists for an activity, but not for a list', async () => {
    const made = await call('POST', '/v1/activities/custom', { body: { content: 'Called.' } });
    expect(made.headers.get('etag')).toMatch(/^"/);
    expect((await call('GET', accounts)).headers.get('etag')).toBeNull();
  });
});

describe('If-None-Match', () => {
  test('B5.5: answers 304 without a body for the same version, and two hundred such requests do not count against the limit', async () => {
    const { path, etag } = await newAccount();
    const before = Number((await call('GET', path)).headers.get('ratelimit-remaining'));
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await call('GET', path, { headers: { 'if-none-match': named } });
      expect([status, text, headers.get('etag')]).toEqual([304, '', etag]);
      expect(Number(headers.get('ratelimit-remaining'))).toBe(before);
    }
    const headers = { 'if-none-match': etag };
    const all = await Promise.all(Array.from({ length: 200 }, () => call('GET', path, { headers })));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([304]));
    expect(Number((await call('GET', path)).headers.get('ratelimit-remaining'))).toBe(before - 1);
  });

  test('B5.2: answers 304 after an empty patch, and 200 for another version or an unknown ETag', async () => {
    const { path } = await newAccount();
    const etag = (await call('GET', path)).headers.get('etag')!;
    for (const body of [{}, { city: 'Bern' }]) {
      await call('PATCH', path, { body });
      expect((await call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    }
    await call('PATCH', path, { body: { city: 'Basel' } });
    for (const named of [etag, '"other"', 'nonsense'])
      expect((await call('GET', path, { headers: { 'if-none-match': named } })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test('B5.1: of thirty patches with the same ETag, exactly one applies, and the others get the current ETag', async () => {
    const { path, etag } = await newAccount();
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => patch(path, { city: `City ${i}` }, etag)));
    const held = all.filter(({ status }) => status === 200);
    expect([held.length, all.filter(({ status }) => status === 412).length]).toEqual([1, 29]);
    const refused = all.find(({ status }) => status === 412)!;
    expect(refused.body).toMatchObject({ error: 'precondition_failed' });
    expect(refused.headers.get('etag')).toBe(held[0]!.headers.get('etag'));
    expect((await call('GET', path)).body.data.city).toBe(held[0]!.body.data.city);
  });

  test('a weak ETag never matches, and * matches any record', async () => {
    const { path, etag } = await newAccount();
    expect((await patch(path, { city: 'Basel' }, `W/${etag}`)).status).toBe(412);
    expect((await patch(path, { city: 'Basel' }, `"other", ${etag}`)).status).toBe(200);
    expect((await patch(path, { city: 'Chur' }, '*')).status).toBe(200);
  });

  test('B5.4: for an unknown record, * is answered with 404 like any ETag', async () => {
    const { etag } = await newAccount();
    const missing = `${accounts}/${api.other.ids.account}`;
    for (const named of ['*', etag]) expect((await patch(missing, { city: 'Basel' }, named)).status).toBe(404);
  });

  test.each(['m5x9k2ab', '"open', '""x', ',', '', '"a" "b"'])(
    'is refused if it is not a list of ETags: %j',
    async (named) => {
      const { path } = await newAccount();
      const { status, body } = await patch(path, { city: 'Basel' }, named);
      expect([status, body.details]).toEqual([400, [expect.objectContaining({ in: 'header', field: 'If-Match' })]]);
    },
  );

  test('is refused by operations that create', async () => {
    const sent = { body: { account_name: 'A' }, headers: { 'if-match': '*' } };
    expect((await call('POST', accounts, sent)).body.details).toMatchObject([{ in: 'header', field: 'If-Match' }]);
  });

  test("is checked after the body's references and after the record was found", async () => {
    const stage = { account_id: api.other.ids.account };
    const made = await call('POST', '/v1/records/opportunities', {
      body: { opportunity_name: 'Deal', account_id: api.tenant.ids.account },
    });
    const path = `/v1/records/opportunities/${made.body.data.id}`;
    expect((await patch(path, stage, '"other"')).status).toBe(400);
    expect((await patch(`/v1/records/opportunities/${stage.account_id}`, { amount: 1 }, '"other"')).status).toBe(404);
    expect((await patch(path, { amount: 1 }, '"other"')).status).toBe(412);
    expect((await patch(path, { stage_id: api.tenant.ids.stage }, '"other"')).status).toBe(412);
    expect((await call('GET', path)).headers.get('etag')).toBe(made.headers.get('etag'));
  });
});
