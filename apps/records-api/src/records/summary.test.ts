import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;
const path = '/v1/records/opportunities/summary';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const request = (query = '', client = api.tenant.client) => client('GET', `${path}?${query}`);
const summary = async (query = '') => (await request(query)).body;
const problemsOf = async (query: string) => {
  const { status, error } = await request(query);
  expect(status, query).toBe(400);
  return error.details!.map(({ field, code }) => `${field} ${code}`);
};

const insert = (orgId: string, accountId: string, amounts: readonly (string | null)[], pipeline?: string) =>
  api.db.database.query(
    statement(
      '',
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, pipeline)
       SELECT $1, uuidv7(), 'Sale', $2, amount, $4 FROM unnest($3::numeric[]) amount`,
    ),
    [orgId, accountId, amounts, pipeline ?? null],
  );

describe('a summary', () => {
  test('without group_by has only the figures of all records', async () => {
    expect(await summary()).toEqual({ data: [], all: { count: 1 }, total: 1, limit: 100, has_more: false });
    expect(await summary('sum=amount&avg=amount&sort=-sum&limit=3')).toEqual({
      data: [],
      all: { count: 1, sum: { amount: 125_000.5 }, avg: { amount: 125_000.5 } },
      total: 1,
      limit: 3,
      has_more: false,
    });
    const none = await summary('sum=amount&avg=amount&amount[gt]=1000000&group_by=owner_id');
    expect(none).toEqual({
      data: [],
      all: { count: 0, sum: { amount: 0 }, avg: { amount: null } },
      total: 0,
      limit: 100,
      has_more: false,
    });
  });

  test('is exact beyond the precision of JavaScript numbers, and rounds halves away from zero', async () => {
    const { orgId, ids } = api.other;
    await insert(orgId, ids.account, ['999999999999999.1', '999999999999999.0001', '999999999999999.0001'], 'Huge');
    const of = (query: string) => request(`sum=amount&avg=amount&group_by=pipeline&${query}`, api.other.client);
    const huge = await of('amount[gt]=1000000');
    expect(huge.text).toContain('"sum":{"amount":2999999999999997.1002}');
    expect(huge.text).toContain('"avg":{"amount":999999999999999.0334}');
    await insert(orgId, ids.account, ['-1.0001', '-1.0002'], 'Half');
    expect((await of('amount[lt]=0')).text).toContain('"avg":{"amount":-1.0002}');
  });

  test('shows nothing of another organization, and ids stay ids', async () => {
    const { body } = await request('group_by=account_id', api.other.client);
    expect(body.data).toEqual([{ account_id: api.other.ids.account, count: body.total }]);
    expect((await request(`account_id=${api.tenant.ids.account}`, api.other.client)).body.total).toBe(0);
    expect((await api.tenant.client('GET', '/v1/records/accounts/summary')).status).toBe(404);
    expect((await api.tenant.client('PATCH', path, { body: {} })).status).toBe(405);
  });
});

describe('refused', () => {
  test.each([
    ['cursor=x', ['cursor unknown_field']],
    ['offset=0', ['offset unknown_field']],
    ['fields=id', ['fields unknown_field']],
    ['count=none', ['count invalid_enum']],
    ['count=', ['count invalid_enum']],
    ['group_by=amount', ['group_by invalid_enum']],
    ['group_by=', ['group_by invalid_enum']],
    ['sum=close_date', ['sum invalid_enum']],
    ['avg=', ['avg invalid_enum']],
    ['sort=', ['sort unsupported_sort']],
    ['sort=-sum', ['sort unsupported_sort']],
    ['sort=sum&avg=amount', ['sort unsupported_sort']],
    ['sort=avg&sum=amount', ['sort unsupported_sort']],
    ['limit=0', ['limit out_of_range']],
    ['limit=101', ['limit out_of_range']],
    ['limit=1&limit=2', ['limit conflicting_parameters']],
    ['sort=count&sort=count', ['sort conflicting_parameters']],
    ['expand=stage', ['expand invalid_enum']],
    ['expand=owner&group_by=stage_id', ['expand invalid_enum']],
    ['expand=stage,owner&group_by=stage_id', ['expand invalid_enum']],
    ['expand=pipeline_record&group_by=pipeline', ['expand invalid_enum']],
    ['expand=&group_by=stage_id', ['expand invalid_enum']],
    ['nonsense=1&sum=x', ['nonsense unknown_field', 'sum invalid_enum']],
    ['owner_id=x&tags[any]=', ['owner_id invalid_format', 'tags[any] too_short']],
    [
      'account_id=&amount[gt]=1&amount[lt]=1&amount[gte]=1&amount[lte]=1&amount[exists]=true&close_date[gt]=2026-01-01&' +
        'close_date[exists]=true&tags[all]=x',
      ['account_id invalid_format', 'tags[all] too_many'],
    ],
  ])('%s', async (query, problems) => {
    expect((await problemsOf(query)).toSorted()).toEqual(problems);
  });

  test('lists the allowed values', async () => {
    const { error: sort } = await request('sort=-sum');
    expect(sort.details).toMatchObject([{ allowed: ['-count', 'count'] }]);
    const { error: expand } = await request('expand=owner&group_by=stage_id');
    expect(expand.details).toMatchObject([{ allowed: ['stage'] }]);
  });
});

describe('while the table is locked', () => {
  test('count=exact is answered with 503 after 5 s, and its query is cancelled', async () => {
    const [taken, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locked = api.db.owner.transaction(async (db) => {
      await db.query(statement('', 'LOCK TABLE opportunities IN ACCESS EXCLUSIVE MODE'), []);
      taken.resolve();
      await over.promise;
    });
    await taken.promise;
    const response = await request('count=exact');
    const waiting = await api.db.database.query(
      statement<{ n: number }>(
        '',
        `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      ),
      [],
    );
    over.resolve();
    await locked;
    expect(response).toMatchObject({ status: 503, error: { error: 'service_unavailable' } });
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect(waiting).toEqual([{ n: 0 }]);
    expect((await request('count=exact')).status).toBe(200);
  });
});
