import type { Db } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { listPlanned } from './planned-page.sql.ts';
import type { PageQuery } from './record-page.sql.ts';

let records: TestRecords;
beforeAll(async () => {
  records = await openTestRecords();
  for (const name of ['A', 'B', 'C']) await records.insert(accounts, { account_name: name });
});
afterAll(() => records[Symbol.asyncDispose]());

const list = async (query: Partial<PageQuery>, db: Db = records.db.database, orgId = records.orgId) =>
  (await listPlanned({ db, scan: db }, orgId, accounts, { sort: 'account_name', limit: 10, ...query }, false)).page;

test('the total of a sorted list is from the same snapshot as its page', async () => {
  const orgId = records.otherOrgId;
  const changing: Db = {
    query: async (prepared, values) => {
      const rows = await records.db.database.query(prepared, values);
      await records.insert(accounts, { account_name: 'Created between two statements' }, orgId);
      return rows;
    },
  };
  for (const count of [undefined, 'exact'] as const) {
    const { data, total } = await list({ count, limit: 100 }, changing, orgId);
    expect(total).toBe(data.length);
  }
});

test('a sorted list has its total on every page, also on one without records', async () => {
  const first = await list({ limit: 2 });
  expect(first).toMatchObject({ data: [{ account_name: 'A' }, { account_name: 'B' }], total: 3, has_more: true });
  const last = await list({ limit: 2, cursor: first.next_cursor });
  expect(last).toMatchObject({ data: [{ account_name: 'C' }], total: 3, has_more: false });
  expect(await list({ offset: 3 })).toMatchObject({ data: [], total: 3, offset: 3, has_more: false });
  expect(await list({}, records.db.database, crypto.randomUUID())).toMatchObject({ data: [], total: 0 });
});

test('count=none gives a lower bound on a sorted list', async () => {
  const page = await list({ count: 'none', limit: 2 });
  expect(page).toMatchObject({ total: 3, total_relation: 'gte', has_more: true });
  expect(await list({ count: 'none', offset: 3 })).toMatchObject({ data: [], total: 3, total_relation: 'gte' });
});
