import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
let contact: string;

beforeAll(async () => {
  api = await startTestApi();
  const { account, user } = api.tenant.ids;
  contact = await create('contacts', { first_name: 'Grace', last_name: 'Hopper', account_id: account, owner_id: user });
});
afterAll(() => api[Symbol.asyncDispose]());

const run = (sql: string, values: unknown[]) => api.db.owner.query(statement<{ id: string }>('', sql), values);

async function create(plural: string, body: object): Promise<string> {
  const { data } = (await api.tenant.client('POST', `/v1/records/${plural}`, { body })).body;
  return data.id;
}

const get = async (path: string, headers: Record<string, string> = {}) =>
  api.tenant.client('GET', path.startsWith('/') ? path : `/v1/records/${path}`, { headers });
const recordOf = async (plural: string, id: string) => (await get(`${plural}/${id}`)).body.data;

describe('expand', () => {
  test('adds the records that the ids refer to, before the times', async () => {
    const { account, user, opportunity, stage } = api.tenant.ids;
    await api.tenant.client('PATCH', `/v1/records/opportunities/${opportunity}`, {
      body: { stage_id: stage, owner_id: user },
    });
    const { body } = await get(`opportunities?expand=account,stage,owner,pipeline_record`);
    const [shown] = body.data;
    expect(Object.keys(shown).slice(-6)).toEqual([
      'account',
      'stage',
      'owner',
      'pipeline_record',
      'created_at',
      'updated_at',
    ]);
    expect(shown).toEqual({
      ...(await recordOf('opportunities', opportunity)),
      account: await recordOf('accounts', account),
      stage: await recordOf('stages', stage),
      owner: await recordOf('users', user),
      pipeline_record: await recordOf('pipelines', api.tenant.ids.pipeline),
    });
  });

  test('adds one level, and nothing if the id is unset', async () => {
    const { account, user } = api.tenant.ids;
    await api.tenant.client('PATCH', `/v1/records/accounts/${account}`, { body: { owner_id: user } });
    const { data } = (await get('contacts?expand=account,owner')).body;
    const shown = data.find(({ id }: { id: string }) => id === contact);
    expect(shown.account).toEqual(await recordOf('accounts', account));
    expect(shown.account).toHaveProperty('owner_id', user);
    expect(shown.account).not.toHaveProperty('owner');
    const without = data.find(({ id }: { id: string }) => id === api.tenant.ids.contact);
    expect(without).toEqual(await recordOf('contacts', api.tenant.ids.contact));
  });

  test.each([
    ['accounts', ['owner']],
    ['contacts', ['account', 'owner']],
    ['opportunities', ['account', 'stage', 'owner', 'pipeline_record']],
    ['/v1/activities/custom', ['owner']],
  ])('%s: other names get 400 with the names that exist', async (list, allowed) => {
    for (const name of ['', 'id', 'owner_id', 'contacts', 'OWNER', ' owner', 'owner,', 'owner,constructor', '%00']) {
      const { status, error } = await get(`${list}?expand=${name}`);
      expect(status, name).toBe(400);
      expect(error.details).toMatchObject([{ in: 'query', field: 'expand', code: 'invalid_enum', allowed }]);
    }
    expect((await get(`${list}?expand=owner,owner&limit=1`)).status).toBe(200);
    const { error } = await get(`${list}?expand=owner&expand=owner`);
    expect(error.details).toMatchObject([{ field: 'expand', code: 'conflicting_parameters' }]);
  });

  test.each(['users', 'pipelines', 'stages'])('%s have nothing to add', async (list) => {
    const { error } = await get(`${list}?expand=owner`);
    expect(error.details).toMatchObject([{ field: 'expand', code: 'unknown_field' }]);
  });

  test('lists and single activities show their owner', async () => {
    const { user } = api.tenant.ids;
    const body = { content: 'Called.', owner_id: user };
    const { data } = (await api.tenant.client('POST', '/v1/activities/custom', { body })).body;
    const listed = (await get('/v1/activities/custom?expand=owner&sort=-id&limit=1')).body.data;
    const owner = await recordOf('users', user);
    expect(listed).toEqual([{ ...data, owner }]);
    expect((await get(`/v1/activities/custom/${data.id}?expand=owner`)).body.data).toEqual({ ...data, owner });
  });

  test('a cursor may be continued with another expand and other fields', async () => {
    const first = (await get('contacts?limit=1&sort=last_name')).body;
    const next = await get(`contacts?limit=1&sort=last_name&expand=account&fields=id&cursor=${first.next_cursor}`);
    expect(next.status).toBe(200);
    expect(next.body.data).toHaveLength(1);
  });
});

describe('pipeline_record', () => {
  const created = (name: string, at: string) =>
    run(
      `INSERT INTO pipelines (org_id, id, name, active, is_default, created_at)
       VALUES ($1, uuidv7(), $2, true, false, $3) RETURNING id`,
      [api.tenant.orgId, name, at],
    );

  test('is the oldest pipeline with the name, if there is no stage', async () => {
    await created('Twin', '2026-02-01');
    const [older] = await created('Twin', '2026-01-01');
    const body = { opportunity_name: 'Deal', account_id: api.tenant.ids.account, pipeline: 'Twin' };
    const id = await create('opportunities', body);
    expect((await get(`opportunities/${id}?expand=pipeline_record`)).body.data.pipeline_record.id).toBe(older!.id);
    const other = await create('opportunities', { ...body, pipeline: 'twin' });
    expect((await get(`opportunities/${other}?expand=pipeline_record`)).body.data).not.toHaveProperty(
      'pipeline_record',
    );
  });
});

describe('GET by id with expand', () => {
  test('has no ETag and ignores If-None-Match', async () => {
    const plain = await get(`contacts/${contact}`);
    const etag = plain.headers.get('etag')!;
    expect(etag).toBeTruthy();
    const response = await get(`contacts/${contact}?expand=account,owner`, { 'If-None-Match': etag });
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).toBeNull();
    expect(Object.keys(response.body.data).slice(-4)).toEqual(['account', 'owner', 'created_at', 'updated_at']);
    expect((await get(`contacts/${contact}`, { 'If-None-Match': etag })).status).toBe(304);
  });

  test('has no ETag although there is nothing to add', async () => {
    const response = await get(`contacts/${api.tenant.ids.contact}?expand=account`);
    expect(response.headers.get('etag')).toBeNull();
    expect(response.body.data).toEqual(await recordOf('contacts', api.tenant.ids.contact));
  });

  test.each([
    ['expand=', 'expand invalid_enum'],
    ['expand=stage', 'expand invalid_enum'],
    ['expand=owner&expand=owner', 'expand conflicting_parameters'],
    ['fields=id', 'fields unknown_field'],
  ])('%s: 400', async (query, problem) => {
    const { status, error } = await get(`contacts/${contact}?${query}`);
    expect(status).toBe(400);
    expect(error.details!.map(({ field, code }) => `${field} ${code}`)).toEqual([problem]);
  });

  test("another organization's record: 404", async () => {
    expect((await get(`contacts/${api.other.ids.contact}?expand=account`)).status).toBe(404);
  });
});

describe('fields', () => {
  test('leaves out all other fields except the id and the records that expand adds', async () => {
    const { data } = (await get('contacts?fields=last_name,created_at&expand=account&sort=-id&limit=1')).body;
    const { id, last_name, created_at } = await recordOf('contacts', contact);
    const account = await recordOf('accounts', api.tenant.ids.account);
    expect(data).toEqual([{ id, last_name, account, created_at }]);
    expect(Object.keys(data[0])).toEqual(['id', 'last_name', 'account', 'created_at']);
    expect((await get('contacts?fields=id,id&sort=-id&limit=1')).body.data).toEqual([{ id: contact }]);
  });

  test('can filter and sort by fields that are left out', async () => {
    const page = (await get('contacts?fields=email&sort=last_name&last_name=Lovelace&limit=1')).body;
    expect(page.data).toEqual([{ id: api.tenant.ids.contact, email: 'ada@robotics.example' }]);
  });

  test.each(['', 'account', 'ID', 'id,', 'id, email', 'org_id', '__proto__'])(
    '%j: 400, with all fields',
    async (names) => {
      const { status, error } = await get(`contacts?fields=${names}`);
      expect(status).toBe(400);
      expect(error.details).toMatchObject([{ field: 'fields', code: 'invalid_enum' }]);
      expect(error.details![0]!.allowed).toEqual(expect.arrayContaining(['id', 'last_name', 'crm_id', 'updated_at']));
    },
  );

  test('every list supports the parameter', async () => {
    for (const list of ['users', 'stages', 'pipelines', 'accounts', 'opportunities', '/v1/activities/custom']) {
      const { data } = (await get(`${list}?fields=id&limit=1`)).body;
      expect(Object.keys(data[0])).toEqual(['id']);
    }
  });
});

describe('size', () => {
  const large = 'é'.repeat(90_000);
  const stages: string[] = [];
  const ids: string[] = [];

  beforeAll(async () => {
    const rows = await run(
      `INSERT INTO stages (org_id, id, pipeline_id, name, is_won, is_lost, is_closed, active, display_order, entry_criteria,
         exit_criteria)
       SELECT org_id, uuidv7(), pipeline_id, name, is_won, is_lost, is_closed, active, 2, $2, $2
       FROM stages, generate_series(1, 6) WHERE org_id = $1 RETURNING id`,
      [api.tenant.orgId, large],
    );
    stages.push(...rows.map(({ id }) => id).toSorted());
    const body = { opportunity_name: 'Large', account_id: api.tenant.ids.account, amount: 77 };
    for (let i = 0; i < 9; i++)
      ids.push(await create('opportunities', { ...body, stage_id: stages[i % stages.length] }));
  });

  test.each(['id', '-id', 'close_date', '-amount'])(
    'sort=%s: a page ends with the record whose related records exceed 1 MB; its cursor continues the list',
    async (sort) => {
      const pages: {
        text: string;
        body: { data: { id: string; stage: object }[]; total: number; has_more: boolean };
      }[] = [];
      for (let cursor = ''; ;) {
        const page = await get(
          `opportunities?sort=${sort}&expand=stage&fields=stage_id&amount[gte]=77&amount[lte]=77&count=none${cursor}`,
        );
        pages.push(page);
        if (!page.body.has_more) break;
        cursor = `&cursor=${page.body.next_cursor}`;
      }
      const sizes = pages.map(({ text }) => Buffer.byteLength(text));
      expect(pages).toHaveLength(3);
      expect(Math.max(...sizes)).toBeLessThan(1_048_576 + 370_000);
      for (const { body } of pages) expect(body.total).toBe(body.data.length + (body.has_more ? 1 : 0));
      const read = pages.flatMap(({ body }) => body.data);
      expect(read.map(({ id }) => id).toSorted()).toEqual(ids);
      for (const { stage } of read) expect(stage).toHaveProperty('exit_criteria', large);
    },
  );

  test('a summary also ends with the group whose related records exceed 1 MB', async () => {
    const { body, text } = await get(
      'opportunities/summary?group_by=stage_id&expand=stage&amount[gte]=77&amount[lte]=77&sum=amount',
    );
    expect(Buffer.byteLength(text)).toBeLessThan(1_048_576 + 370_000);
    expect(body).toMatchObject({ has_more: true, total: 9, all: { count: 9, sum: { amount: 693 } } });
    expect(body.data.map((group: object) => 'stage' in group)).toEqual([true, true, true]);
  });
});
