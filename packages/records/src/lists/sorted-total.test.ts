import { createOrganization } from '@relata/auth';
import { type Db, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { encodeCursor } from './list-cursor.ts';
import { listPlanned } from './planned-page.sql.ts';
import { type PageQuery, scopeOf } from './record-page.sql.ts';

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

describe('more than 10,000 matches', () => {
  const matching = 10_001;
  /**
   * Two organizations: one has nothing but matches, and one has so many other records before its matches that a walk
   * reaches its row limit among them.
   */
  let dense: string;
  let behind: string;

  beforeAll(async () => {
    const insert = (orgId: string, values: string) =>
      records.db.owner.query(
        statement('', `INSERT INTO accounts (org_id, id, account_name, sales_status) SELECT $1, uuidv7(), ${values}`),
        [orgId],
      );
    const [one, other] = await Promise.all(
      ['Dense', 'Behind'].map(async (name) => (await createOrganization(records.db.database, name)).id),
    );
    [dense, behind] = [one!, other!];
    for (const orgId of [dense, behind])
      await insert(orgId, `'M ' || i, 'churned' FROM generate_series(1, ${matching}) i`);
    await insert(behind, `'A ' || i, NULL FROM generate_series(1, 20100) i`);
  });

  test.each([
    ['that are walked through', () => dense, { 'account_name[prefix]': 'm' }, ['matches', 'walk']],
    ['whose next rows fill a page', () => dense, { sales_status: 'churned' }, ['matches', 'walk']],
    ['that come after many others', () => behind, { sales_status: 'churned' }, ['matches', 'walk', 'sort']],
  ])('%s: the exact total is from the same snapshot as the page', async (_, orgIn, filter, statements) => {
    const read: string[] = [];
    const orgId = orgIn();
    // After each statement, a new match is inserted at the start of the list.
    const changing: Db = {
      query: async (prepared, values) => {
        const rows = await records.db.database.query(prepared, values);
        read.push(prepared.name);
        await records.insert(accounts, { account_name: `M 0 ${9 - read.length}`, sales_status: 'churned' }, orgId);
        return rows;
      },
    };
    const page = await list({ ...filter, count: 'exact', limit: 3 }, changing, orgId);
    expect(read).toEqual(statements.map((name) => `accounts.${name}`));
    const created = statements.length - 1;
    expect(page.data[0]).toMatchObject({ account_name: `M 0 ${9 - created}` });
    expect(page).toMatchObject({ total: matching + created, has_more: true });
    await records.db.owner.query(statement('', `DELETE FROM accounts WHERE account_name LIKE 'M 0 %'`), []);
  });

  test.each([{ 'account_name[prefix]': 'm' }, { sales_status: 'churned' }])(
    'with %j, a page after the last match has the exact total, too',
    async (filter) => {
      const query = { ...filter, sort: 'account_name', count: 'exact' as const, limit: 10 };
      const cursor = encodeCursor(scopeOf(dense, accounts, query), { id: crypto.randomUUID(), key: 'z' });
      const page = await list({ ...query, cursor }, undefined, dense);
      expect(page).toMatchObject({ data: [], total: matching, has_more: false });
    },
  );
});
