import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { type Known, pages, randomQueries, selectIn } from './list-selection.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const list = async (path: string, query: string) => (await api.tenant.client('GET', `${path}?${query}`)).body;

const run = (sql: string, values: unknown[]) => api.db.database.query(statement('', sql), values);

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
       SELECT $1, uuidv7(), 'Sale ' || i, a.ids[1 + (random() * 18)::int],
         CASE WHEN random() < 0.3 THEN NULL ELSE (random() * 50)::int / 2.0 END,
         CASE WHEN random() < 0.3 THEN NULL ELSE '2026-01-01'::timestamptz + (random() * 40)::int * interval '1 day' END,
         (ARRAY['vip', 'press', 'a,b', 'Ünï', '%_'])[1:(random() * 5)::int],
         CASE WHEN random() < 0.5 THEN NULL ELSE 'crm-' || (random() * 30)::int END,
         '2026-01-01'::timestamptz + (random() * 100)::int * interval '1 minute'
       FROM generate_series(1, $2::int) i, (SELECT array_agg(id) AS ids FROM accounts WHERE org_id = $1) a`,
      [api.tenant.orgId, 5_000],
    );
    known = (await pages((query) => list(path, query), 'limit=100')) as Known[];
  });

  test('all pages together are what the client selects itself, and the total is their number (B4.1, B4.3)', async () => {
    expect(known).toHaveLength(5_001);
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
    const queries = randomQueries(known, 150);
    const workers = Array.from({ length: 8 }, async () => {
      for (let query = queries.pop(); query !== undefined; query = queries.pop()) await check(query);
    });
    await Promise.all(workers);
  });
});
