import { createOrganization } from '@relata/auth';
import { openDatabase, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planOfDuplicates, sequentiallyRead } from '../lists/plans.harness.ts';
import type { RecordTable } from '../table/record-table.ts';
import { accounts, contacts } from '../tables.ts';
import { type DuplicateGroup, findDuplicates } from './duplicates.sql.ts';

let db: TestDatabase;
let orgId: string;
let small: string;

const entriesMax = 20_000;
const pairs = 300;
const others = 15_000;

const run = (sql: string, values: readonly unknown[] = []) => db.owner.query(statement<never>('', sql), values);

/** Inserts contacts. `email` is SQL for the email address of contact number `i`. */
const insert = (org: string, count: number, email: string) =>
  run(
    `INSERT INTO contacts (org_id, id, first_name, last_name, company, email)
     SELECT $1, uuidv7(), 'Ada', 'Lovelace', 'Kumo', ${email} FROM generate_series(1, $2::int) i`,
    [org, count],
  );

beforeAll(async () => {
  db = await createTestDatabase();
  [orgId, small] = (await Promise.all(
    ['Large', 'Small'].map(async (name) => (await createOrganization(db.database, name)).id),
  )) as [string, string];
  // Without these indexes, inserting rows takes half the time.
  await run('DROP INDEX contacts_by_search, contacts_by_last_name');
  await insert(orgId, entriesMax + 1, `'many@example.com'`);
  await insert(orgId, entriesMax, `'exactly@example.com'`);
  await insert(orgId, 2 * pairs, `'Pair-' || i / 2 || '@example.com'`);
  await insert(orgId, others, `'other-' || i || '@example.com'`);
  await insert(small, 10, `'pair@example.com'`);
  await run(
    `INSERT INTO accounts (org_id, id, account_name, domain)
     SELECT $1, uuidv7(), 'Company ' || i % 900, 'https://www.company-' || i % 900 || '.example/' || i
     FROM generate_series(1, 1000) i`,
    [orgId],
  );
  await run('VACUUM ANALYZE contacts, accounts');
});
afterAll(() => db[Symbol.asyncDispose]());

type Page = Awaited<ReturnType<typeof planOfDuplicates>>;

/** Reads all pages with their plans. */
async function walk(table: RecordTable<unknown>, by: string, limit: number, org = orgId) {
  const pages = [];
  for (let cursor: string | undefined; ;) {
    const page = await planOfDuplicates(db.database, org, table, { by, limit, cursor });
    pages.push(page);
    if (!page.found.has_more) return pages;
    cursor = page.found.next_cursor;
  }
}

const valuesOf = (groups: readonly DuplicateGroup[]) => groups.map(({ value }) => value);

test('all pages together have each group once, and a page reads at most 20,000 entries', async () => {
  for (const limit of [40, 100]) {
    const pages = await walk(contacts, 'email', limit);
    const groups = pages.flatMap(({ found }) => found.data);
    const byCount = Map.groupBy(groups, ({ count }) => count);
    expect([byCount.get(2)!.length, groups.length]).toEqual([pairs - 1, pairs + 1]);
    expect(new Set(valuesOf(groups)).size).toBe(groups.length);
    for (const { rowsRead, found } of pages) {
      // One extra entry is read to find out that a group has more records than are counted.
      const isLowerBound = found.data.some(({ count_relation: relation }) => relation === 'gte');
      expect(rowsRead).toBeLessThanOrEqual(entriesMax + (isLowerBound ? 1 : 0));
    }
  }
});

test('a group of more than 20,000 records has a lower bound, and the next page skips it', async () => {
  const pages = await walk(contacts, 'email', 100);
  const groups = pages.flatMap(({ found }) => found.data).filter(({ count }) => count > 2);
  expect(groups.toSorted((a, b) => (a.value < b.value ? -1 : 1))).toEqual([
    { value: 'exactly@example.com', count: entriesMax, ids: expect.any(Array) },
    { value: 'many@example.com', count: entriesMax, count_relation: 'gte', ids: expect.any(Array) },
  ]);
  expect(groups.every(({ ids }) => ids.length === 20 && ids.toSorted().join() === ids.join())).toBe(true);
  // All contacts have this name and company. The first page ends among them and has no group.
  const [first, second, third, ...rest] = await walk(contacts, 'name_company', 25);
  expect([first!.found.data, first!.rowsRead]).toEqual([[], entriesMax / 2]);
  expect(second!.found.data).toMatchObject([{ value: 'ada, lovelace, kumo', count_relation: 'gte' }]);
  expect([third!.found, third!.rowsRead, rest]).toEqual([{ data: [], has_more: false }, 0, []]);
});

test.each([
  ['contacts_email', contacts, 'email'],
  ['contacts_crm_id', contacts, 'crm_id'],
  ['contacts_by_name_company', contacts, 'name_company'],
  ['accounts_by_normalized_domain', accounts, 'domain'],
  ['accounts_account_name', accounts, 'account_name'],
  ['accounts_crm_id', accounts, 'crm_id'],
])('the index %s is read in its order', async (index, table, by) => {
  const [{ nodes }] = (await walk(table, by, 25)) as [Page];
  const indexes = nodes.flatMap((node) => node['Index Name'] ?? []);
  expect([new Set(indexes), sequentiallyRead(nodes)]).toEqual([new Set([index]), []]);
});

test('a page does not read all records of an organization, even if random reads count as expensive', async () => {
  // The planner expects a third of the records after the start of a page, which is fewer than the limit.
  await run(`ALTER DATABASE ${new URL(db.url).pathname.slice(1)} SET random_page_cost = 10`);
  await using slow = openDatabase({ url: db.url, name: 'slow' });
  const { rowsRead } = await planOfDuplicates(slow, orgId, contacts, { by: 'email', limit: 1 });
  expect(rowsRead).toBeLessThanOrEqual(entriesMax);
});

test('a search fails if its next page would begin where this page began', async () => {
  const row = { hash: '5', place: 1, n: 2, is_cut: true, value: null, count: 0, ids: [] };
  const stuck = { query: () => Promise.resolve([row as never]) };
  const { next_cursor: cursor } = await findDuplicates(stuck, orgId, contacts, { by: 'email', limit: 1 });
  await expect(findDuplicates(stuck, orgId, contacts, { by: 'email', limit: 1, cursor })).rejects.toThrow('beyond 5');
});

test('a search in a small organization reads no records of a large one', async () => {
  const [{ found, rowsRead }] = (await walk(contacts, 'email', 25, small)) as [Page];
  expect(found.data).toMatchObject([{ value: 'pair@example.com', count: 10 }]);
  expect(rowsRead).toBe(20);
});

test('values with the same hash are different groups, and a page can end between them', async () => {
  const { email } = contacts.comparisons;
  // Only the last letter before the @ counts, so that many addresses collide.
  const hash = `hashtextextended(right(split_part(lower(r.email), '@', 1), 1), 0)`;
  const colliding = { ...contacts, comparisons: { email: { ...email!, hash } } };
  const { id: org } = await createOrganization(db.database, 'Colliding');
  await insert(org, 200, `'pair-' || i / 2 || '@example.com'`);
  const expected = (await findDuplicates(db.database, org, contacts, { by: 'email', limit: 100 })).data;
  for (const limit of [1, 3, 100]) {
    const pages = await walk(colliding, 'email', limit, org);
    const groups = pages.flatMap(({ found }) => found.data);
    expect(groups.length).toBe(99);
    expect(new Set(valuesOf(groups))).toEqual(new Set(valuesOf(expected)));
  }
});
