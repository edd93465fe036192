import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { type Known, pages, randomQueries, selectIn } from './list-selection.harness.ts';
import { randomGrouping, summarized } from './summary.harness.ts';

let api: TestApi;
const path = '/v1/records/opportunities';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const run = (sql: string, values: unknown[]) => api.db.database.query(statement<{ id: string }>('', sql), values);
const summary = async (query: string, client = api.tenant.client) =>
  (await client('GET', `${path}/summary?${query}`)).body;

describe('for random records and queries', () => {
  let known: Known[];

  beforeAll(async () => {
    const { orgId, ids } = api.tenant;
    await run(
      `INSERT INTO accounts (org_id, id, account_name) SELECT $1, uuidv7(), 'Account ' || i FROM generate_series(1, 150) i`,
      [orgId],
    );
    await run(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, close_date, tags, crm_id, created_at,
         stage_id, owner_id, pipeline)
       SELECT $1, uuidv7(), 'Sale ' || i, a.ids[1 + (random() * 149)::int],
         CASE WHEN random() < 0.3 THEN NULL WHEN random() < 0.5 THEN (random() * 50)::int / 2.0
           ELSE round((random() * 2e8 - 1e8)::numeric, 4) END,
         CASE WHEN random() < 0.3 THEN NULL ELSE '2026-01-01'::timestamptz + (random() * 40)::int * interval '1 day' END,
         (ARRAY['vip', 'press', 'a,b', 'Ünï', '%_'])[1:(random() * 5)::int],
         CASE WHEN random() < 0.5 THEN NULL ELSE 'crm-' || (random() * 30)::int END,
         '2026-01-01'::timestamptz + (random() * 100)::int * interval '1 minute',
         CASE WHEN random() < 0.5 THEN $3::uuid END, CASE WHEN random() < 0.4 THEN $4::uuid END,
         (ARRAY['Sales', 'sales', 'Älter', 'Zoo', 'a', NULL])[1 + (random() * 5)::int]
       FROM generate_series(1, $2::int) i, (SELECT array_agg(id) AS ids FROM accounts WHERE org_id = $1) a`,
      [orgId, 1_500, ids.stage, ids.user],
    );
    known = await pages(async (query) => (await api.tenant.client('GET', `${path}?${query}`)).body, 'limit=100');
  });

  test('every figure equals what the client computes with decimals (acceptance B4.13)', async () => {
    const check = async (filters: string) => {
      const grouping = randomGrouping();
      const query = `${grouping}&${filters.replace(/sort=[^&]*&?/, '')}`;
      expect(await summary(query), query).toEqual(summarized(selectIn(known, filters), grouping));
    };
    const queries = randomQueries(known, 200);
    const workers = Array.from({ length: 8 }, async () => {
      for (let query = queries.pop(); query !== undefined; query = queries.pop()) await check(query);
    });
    await Promise.all(workers);
  });
});

describe('more than 10,000 matches (acceptance B4.14)', () => {
  const ask = (query: string) => summary(query, api.other.client);

  beforeAll(async () => {
    const { orgId, ids } = api.other;
    await run(
      `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, amount, pipeline)
       SELECT $1, uuidv7(), 'Sale', $2, 100000000000 + CASE WHEN i = 1 THEN 1 ELSE 0 END,
         CASE WHEN i <= 10001 THEN 'Many' WHEN i <= 20000 THEN 'Most' ELSE 'Last' END
       FROM generate_series(1, 20001) i`,
      [orgId, ids.account],
    );
    await run(`UPDATE opportunities SET amount = NULL WHERE org_id = $1 AND id = $2 RETURNING id`, [
      orgId,
      ids.opportunity,
    ]);
  });

  test('counts are lower bounds, and sums and averages are null', async () => {
    const many = `amount[gte]=1&group_by=pipeline&sum=amount&avg=amount`;
    for (const sort of ['-count', 'count', '-sum', 'sum']) {
      const body = await ask(`${many}&sort=${sort}`);
      expect(body).toMatchObject({
        all: { count: 10_000, sum: { amount: null }, avg: { amount: null } },
        total: 10_000,
        total_relation: 'gte',
        has_more: true,
      });
      const counts: number[] = body.data.map(({ count }: { count: number }) => count);
      expect(counts.reduce((a, b) => a + b)).toBe(10_000);
      expect(counts).toEqual(counts.toSorted((a, b) => (sort === 'count' ? a - b : b - a)));
      for (const { sum, avg } of body.data)
        expect({ sum, avg }).toEqual({ sum: { amount: null }, avg: { amount: null } });
    }
    expect(await ask('')).toEqual({
      data: [],
      all: { count: 10_000 },
      total: 10_000,
      total_relation: 'gte',
      limit: 100,
      has_more: false,
    });
  });

  test('all figures are exact with count=exact, or if account_id is the only filter', async () => {
    for (const more of ['count=exact', `account_id=${api.other.ids.account}`]) {
      const body = await ask(`group_by=pipeline&sum=amount&avg=amount&sort=-sum&${more}`);
      expect(body).not.toHaveProperty('total_relation');
      expect(body).toEqual({
        data: [
          { pipeline: 'Many', count: 10_001, sum: { amount: 1_000_100_000_000_001 }, avg: { amount: 1e11 + 0.0001 } },
          { pipeline: 'Most', count: 9_999, sum: { amount: 999_900_000_000_000 }, avg: { amount: 1e11 } },
          { pipeline: 'Last', count: 1, sum: { amount: 1e11 }, avg: { amount: 1e11 } },
          { pipeline: null, count: 1, sum: { amount: 0 }, avg: { amount: null } },
        ],
        // The average is 0.00004999… above this figure. Rounding the quotient twice would round it up.
        all: { count: 20_002, sum: { amount: 2_000_100_000_000_001 }, avg: { amount: 1e11 } },
        total: 20_002,
        limit: 100,
        has_more: false,
      });
    }
    expect(await ask('count=exact&tags[all]=x')).toMatchObject({ total: 0 });
    const mixed = await ask(`account_id=${api.other.ids.account}&amount[gte]=1`);
    expect(mixed).toMatchObject({ total: 10_000, total_relation: 'gte' });
  });

  test('exactly 10,000 are exact', async () => {
    await run(`DELETE FROM opportunities WHERE org_id = $1 AND pipeline = 'Most' RETURNING id`, [api.other.orgId]);
    await run(
      `DELETE FROM opportunities WHERE org_id = $1 AND id = (SELECT id FROM opportunities WHERE org_id = $1 AND
         pipeline = 'Many' AND amount = 100000000000 LIMIT 1) RETURNING id`,
      [api.other.orgId],
    );
    expect(await ask('pipeline=x')).toMatchObject({ error: 'validation_error' });
    expect(await ask('amount[lt]=100000000001&amount[gt]=1')).toMatchObject({ total: 10_000 });
    expect(await ask('amount[lt]=100000000001&amount[gt]=1')).not.toHaveProperty('total_relation');
    expect(await ask('amount[gt]=1')).toMatchObject({ total: 10_000, total_relation: 'gte' });
  });
});
