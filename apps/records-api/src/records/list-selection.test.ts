import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { type Known, pages, randomQueries, selectIn } from './list-selection.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const list = async (path: string, query: string) => (await api.tenant.client('GET', `${path}?${query}`)).body;

const run = (sql: string, values: unknown[]) => api.db.database.query(statement<{ id: string }>('', sql), values);

const path = '/v1/records/opportunities';

describe('for random records and queries', () => {
  let known: Known[];

  beforeAll(async () => {
    await run(
      `INSERT INTO accounts (org_id, id, account_name) SELECT $1, uuidv7(), 'Account ' || i FROM generate_series(1, 20) i`,
      [api.tenant.orgId],
    );
    await run(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, close_date, tags, crm_id, created_at)
       SELECT $1, uuidv7(random() * interval '3 years'), 'Sale ' || i || (ARRAY[' North', ' South', ' Northwest West'])[1 + i % 3],
         a.ids[1 + (random() * 18)::int],
         CASE WHEN random() < 0.3 THEN NULL ELSE (random() * 50)::int / 2.0 END,
         CASE WHEN random() < 0.3 THEN NULL ELSE '2026-01-01'::timestamptz + (random() * 40)::int * interval '1 day' END,
         (ARRAY['vip', 'press', 'a,b', 'Ünï', '%_'])[1:(random() * 5)::int],
         CASE WHEN random() < 0.5 THEN NULL ELSE 'crm-' || (random() * 30)::int END,
         '2026-01-01'::timestamptz + (random() * 100)::int * interval '1 minute'
       FROM generate_series(1, $2::int) i, (SELECT array_agg(id) AS ids FROM accounts WHERE org_id = $1) a`,
      [api.tenant.orgId, 1_500],
    );
    known = (await pages((query) => list(path, query), 'limit=100')) as Known[];
  });

  test('all pages together are the records that the client selects itself, and the total is their number (acceptance B4.1, B4.3)', async () => {
    expect(known).toHaveLength(1_501);
    const check = async (query: string) => {
      const expected = selectIn(known, query);
      const limit = Math.min(100, Math.max(7, Math.ceil(expected.length / 6)));
      const read = await pages(async (more) => {
        const page = await list(path, more);
        expect(page.total, query).toBe(expected.length);
        expect(page, query).not.toHaveProperty('total_relation');
        return page;
      }, `${query}&limit=${limit}`);
      expect(
        read.map(({ id }) => id),
        query,
      ).toEqual(expected.map(({ id }) => id));
    };
    const queries = randomQueries(known, 100);
    const workers = Array.from({ length: 8 }, async () => {
      for (let query = queries.pop(); query !== undefined; query = queries.pop()) await check(query);
    });
    await Promise.all(workers);
  });
});

describe('more than 10,000 matches', () => {
  test('are read in order, with the records that have no key at the end', async () => {
    await run(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, tags)
       SELECT $1, uuidv7(), 'Dense', $2, CASE WHEN i % 3 > 0 THEN (i * 7919 % 10000) / 4.0 END,
         CASE WHEN i % 5 = 0 THEN '{dense,fifth}' ELSE '{dense}' END::text[]
       FROM generate_series(1, 10200) i`,
      [api.other.orgId, api.other.ids.account],
    );
    const listOther = async (query: string) => (await api.other.client('GET', `${path}?${query}`)).body;
    const read = await pages(listOther, 'tags[any]=dense&sort=-amount&limit=100&count=none');
    expect(read.map(({ id }) => id)).toEqual(selectIn(read, 'sort=-amount').map(({ id }) => id));
    expect(new Set(read.map(({ id }) => id)).size).toBe(10_200);
    for (const query of [
      'tags[any]=dense&tags[all]=fifth&sort=-id',
      'tags[any]=dense&tags[any]=none&tags[all]=dense&tags[all]=fifth&sort=amount',
      'tags[any]=dense&amount[exists]=false&sort=id',
      'tags[all]=fifth&q=den&amount[exists]=false&sort=-id',
      'tags[any]=dense&q=dens&amount[gte]=2000&sort=amount',
    ]) {
      const expected = selectIn(read, query).map(({ id }) => id);
      expect(expected.length, query).toBeGreaterThan(500);
      expect(
        (await pages(listOther, `${query}&limit=100`)).map(({ id }) => id),
        query,
      ).toEqual(expected);
      const page = await listOther(`${query}&limit=100&offset=300&count=exact`);
      expect(page.total, query).toBe(expected.length);
      expect(
        page.data.map(({ id }: Known) => id),
        query,
      ).toEqual(expected.slice(300, 400));
    }
  });

  test('are found at the far end of the list, too', async () => {
    await run(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, tags)
       SELECT $1, uuidv7(), 'Far', $2, CASE WHEN i <= 25050 THEN i END, CASE WHEN i > 25000 THEN '{far}' ELSE '{}' END::text[]
       FROM generate_series(1, 35100) i`,
      [api.tenant.orgId, api.tenant.ids.account],
    );
    const page = await list(path, 'tags[any]=far&sort=amount&limit=100');
    const amounts = Array.from({ length: 50 }, (_, i) => 25_001 + i);
    expect(page.data.map(({ amount }: Known) => amount)).toEqual([...amounts, ...amounts.map(() => undefined)]);
    expect(page).toMatchObject({ total: 10_000, total_relation: 'gte', has_more: true });
    const last = await list(path, 'tags[any]=far&sort=amount&limit=50');
    expect(last).toMatchObject({ has_more: true });
    const next = await list(path, `tags[any]=far&sort=amount&limit=1&count=none&cursor=${last.next_cursor}`);
    expect(next.data[0].amount).toBeUndefined();
  });

  const accounts = '/v1/records/accounts';
  const total = 10_002;

  beforeAll(() =>
    run(
      `INSERT INTO accounts (org_id, id, account_name, domain, sales_status, owner_id)
       SELECT $1, uuidv7(), 'Many ' || lpad((i % 5000)::text, 4, '0'), 'many.example', 'churned', NULL
       FROM generate_series(1, $2::int) i`,
      [api.tenant.orgId, total],
    ),
  );

  test('are counted up to 10,000, or all with count=exact (acceptance B4.3)', async () => {
    const capped = { total: 10_000, total_relation: 'gte', has_more: true };
    const exact = { total, has_more: true };
    expect(await list(accounts, 'sales_status=churned')).toMatchObject(capped);
    expect(await list(accounts, 'sales_status=churned&sort=-account_name')).toMatchObject(capped);
    expect(await list(accounts, 'sales_status=churned&domain=many.example')).toMatchObject(capped);
    expect(await list(accounts, 'q=many&sort=account_name&offset=9000')).toMatchObject(capped);
    expect(await list(accounts, 'account_name[prefix]=many&sort=created_at&offset=9990')).toMatchObject({
      total: 10_000,
      total_relation: 'gte',
      data: Array.from({ length: 12 }, () => ({ domain: 'many.example' })),
      has_more: false,
    });
    expect(await list(accounts, 'sales_status=churned&count=none&limit=5')).toMatchObject({
      total: 6,
      total_relation: 'gte',
    });
    for (const query of [
      'sales_status=churned&count=exact',
      'q=many&count=exact',
      'domain=many.example&sort=account_name',
    ]) {
      const page = await list(accounts, query);
      expect(page, query).toMatchObject(exact);
      expect(page, query).not.toHaveProperty('total_relation');
    }
    expect(await list(accounts, 'sales_status=churned&account_name[prefix]=many 00')).toMatchObject({ total: 202 });
  });

  test.each(['sort=-account_name', 'sort=created_at'])(
    'with %s, every record that keeps its sort key is returned exactly once during concurrent writes (acceptance B4.2)',
    async (sort) => {
      const kept = await run('SELECT id FROM accounts WHERE org_id = $1 AND sales_status = $2', [
        api.tenant.orgId,
        'churned',
      ]);
      expect(kept).toHaveLength(total);
      const stops = new AbortController();
      const writing = write(stops.signal);
      const read = await pages((query) => list(accounts, query), `sales_status=churned&limit=100&${sort}`);
      stops.abort();
      await writing;
      const times = Map.groupBy(read, ({ id }) => id);
      expect(kept.filter(({ id }) => times.get(id)?.length !== 1)).toEqual([]);
    },
  );

  /** Creates, changes and deletes other records of the list until the signal is aborted. */
  async function write(signal: AbortSignal): Promise<void> {
    for (let i = 0; !signal.aborted; i++) {
      await run(
        `INSERT INTO accounts (org_id, id, account_name, sales_status)
         SELECT $1, uuidv7(), 'Many ' || lpad((random() * 5000)::int::text, 4, '0') || 'x', 'churned' FROM generate_series(1, 20)`,
        [api.tenant.orgId],
      );
      const others = `SELECT id FROM accounts WHERE org_id = $1 AND account_name LIKE '%x' ORDER BY random() LIMIT 10`;
      await run(`UPDATE accounts SET account_name = 'A' || account_name WHERE org_id = $1 AND id IN (${others})`, [
        api.tenant.orgId,
      ]);
      await run(`DELETE FROM accounts WHERE org_id = $1 AND id IN (${others})`, [api.tenant.orgId]);
    }
    await run(`DELETE FROM accounts WHERE org_id = $1 AND account_name LIKE '%x'`, [api.tenant.orgId]);
  }
});

test('a made-up cursor is refused or used, and never causes a server error', async () => {
  const body = { opportunity_name: 'Sale', account_id: api.tenant.ids.account };
  await api.tenant.client('POST', path, { body });
  await api.tenant.client('POST', '/v1/records/accounts', { body: { account_name: 'Account' } });
  const keys = ['x', '1e400', 'NaN', '', '9'.repeat(300), 5, {}, [], true, '\ud800', null];
  const times = ['2026-99-99', '2026-01-01 00:00:00+99:00', '2026-01-01 00:00:00 Foo/Bar'];
  const failed: string[] = [];
  for (const [list, sort] of [
    ...['amount', '-amount', 'close_date', 'created_at', 'id'].map((each) => ['opportunities', each]),
    ...['account_name', '-account_name', 'created_at'].map((each) => ['accounts', each]),
  ]) {
    const url = `/v1/records/${list}?sort=${sort}&limit=1`;
    const { body: first } = await api.tenant.client('GET', url);
    const parts = JSON.parse(Buffer.from(first.next_cursor, 'base64url').toString()) as unknown[];
    for (const key of [...keys, ...times]) {
      const forged = Buffer.from(JSON.stringify([parts[0], parts[1], key])).toString('base64url');
      const { status } = await api.tenant.client('GET', `${url}&cursor=${forged}`);
      if (status !== 200 && status !== 400) failed.push(`${list} ${sort} ${JSON.stringify(key)}: ${status}`);
    }
  }
  expect(failed).toEqual([]);
});
