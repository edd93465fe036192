import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { searchParameter, sortsOf } from '@relata/schemas';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { filtersWithValues } from '@relata/testing/list-filters';
import { insertSkewedRecords } from '@relata/testing/skewed-records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildIndexes } from '../indexes/build-indexes.ts';
import { contacts } from '../contacts/contact.table.ts';
import { listIndexes } from '../indexes/list-index.ts';
import { recordTables } from '../record-tables.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { filterNames, sortKey } from './list-conditions.ts';
import { encodeCursor } from './list-cursor.ts';
import { deepPages, type GenericPlans, plansOf, sequentiallyRead } from './plans.harness.ts';
import { chooseAccessPath } from './choose-access-path.sql.ts';
import type { AccessPath } from './matching.sql.ts';
import { RecordLists } from './record-lists.ts';
import { matchesMax, type PageQuery, scopeOf } from './record-page.sql.ts';

let db: TestDatabase;
/**
 * Three organizations: one with most of the rows, one with few rows, and one in which all contacts except the last have
 * an owner.
 */
let large: string;
let small: string;
let owned: string;

const rows = 100_000;
/** Number of contacts. More than 100,000 of them have an account. */
const contactRows = 115_000;

const selectForeignKeys = statement<{ table: string; name: string }>(
  '',
  `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint WHERE contype = 'f'
   AND conrelid::regclass::text = ANY ('{accounts,contacts,opportunities,custom_activities,custom_activity_contacts,custom_activity_opportunities}')`,
);

beforeAll(async () => {
  db = await createTestDatabase();
  const run = (sql: string) => db.owner.query(statement('', sql), []);
  [large, small, owned] = (await Promise.all(
    ['Large', 'Small', 'Owned'].map(async (name) => (await createOrganization(db.database, name)).id),
  )) as [string, string, string];
  // Rows are inserted in a third of the time without the indexes, and without foreign keys to check.
  const foreignKeys = await db.owner.query(selectForeignKeys, []);
  for (const { table, name } of foreignKeys) await run(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { index } of listIndexes) await run(`DROP INDEX IF EXISTS ${index}`);
  const counts = {
    accounts: rows / 10,
    contacts: contactRows,
    opportunities: rows,
    activities: rows,
    users: 1_000,
    pipelines: 500,
  };
  await insertSkewedRecords(db.owner, large, counts);
  await insertSkewedRecords(db.owner, small, {
    accounts: 50,
    contacts: 500,
    opportunities: 500,
    activities: 500,
    users: 5,
    pipelines: 2,
  });
  await run(`INSERT INTO contacts (org_id, id, first_name, last_name, owner_id)
    SELECT '${owned}', uuidv7(), 'A', 'B', CASE WHEN i < 10000 THEN org_id END
    FROM generate_series(1, 10000) i, (SELECT '${owned}'::uuid AS org_id)`);
  await run(`UPDATE contacts SET first_name = 'Zoë' WHERE org_id = '${large}' AND last_name = 'Babado'`);
  await buildIndexes({ url: db.ownerUrl, names: listIndexes.map(({ name }) => name) });
  await run('VACUUM ANALYZE');
});
afterAll(() => db[Symbol.asyncDispose]());

const limit = 25;
/** Maximum number of rows that are read for the records of a page: from an index, from the table and from links. */
const pageRowsMax = 6 * limit;
/**
 * Maximum number of rows that a page may read: to find and count the matches of a filter, or to walk a list with few
 * matches.
 */
const matchedRowsMax = 2 * matchesMax;
/**
 * Maximum number of rows that are read if all matches are in the second half of the list, as for `updated_at`. Matches
 * for `created_at` are found by their ids, which contain this time.
 */
const sortedRowsMax = 0.55 * contactRows;

test('records without a value are found without reading those that have one', async () => {
  const query = { limit, 'owner_id[exists]': 'false' };
  for (const count of [undefined, 'exact'] as const) {
    const plans = await plansOf(db.database, owned, contacts, { ...query, count }, { isAnalyzed: true });
    for (const { statement, rowsRead } of plans) expect(rowsRead, statement).toBeLessThanOrEqual(pageRowsMax);
  }
});

test('a search that very many records match reads the index only until it has counted 10,000', async () => {
  const query = { limit, q: 'ba' };
  const { total } = await new RecordLists(db.database, () => undefined).list(large, contacts, {
    ...query,
    count: 'exact',
  });
  expect(total).toBeGreaterThan(3 * matchesMax);
  const plans = await plansOf(db.database, large, contacts, query, { isAnalyzed: true });
  const { nodes } = plans.find(({ statement }) => statement.endsWith('.matches'))!;
  const scans = nodes.filter((node) => node['Node Type'] === 'Bitmap Index Scan');
  const found = scans.reduce((sum, node) => sum + node['Actual Rows']! * node['Actual Loops']!, 0);
  expect(found).toBeGreaterThan(matchesMax);
  expect(found).toBeLessThan(total / 2);
});

test('a search uses only the index of words, even in an organization that the planner expects to be empty', async () => {
  const { id } = await createOrganization(db.database, 'Empty');
  const plans = await plansOf(db.database, id, contacts, { limit, q: 'ba' });
  const { nodes } = plans.find(({ statement }) => statement.endsWith('.matches'))!;
  const scans = nodes.filter((node) => node['Node Type'] === 'Bitmap Index Scan');
  expect(scans.map((node) => node['Index Name'])).toEqual(['contacts_by_search']);
  // Only the records of the page are found by their ids.
  expect(nodes.filter((node) => node['Index Name'] === 'contacts_pkey')).toHaveLength(1);
});

const hasWords = `NOT EXISTS (SELECT FROM unnest(string_to_array($2, ' ')) AS word WHERE NOT EXISTS (
  SELECT FROM regexp_split_to_table(lower(concat_ws(' ', first_name, middle_name, last_name, email, company)), '[^a-zë0-9]+')
    AS own WHERE own ^@ word))`;

describe('in an organization that seems to be large', () => {
  // In a small organization, the whole index of words is read in a few milliseconds.
  const setTotal = (sql: string) =>
    db.owner.query(statement('', `UPDATE record_counts SET n = ${sql} WHERE org_id = $1 AND resource = 'contacts'`), [
      large,
    ]);
  beforeAll(() => setTotal('n * 8'));
  afterAll(() => setTotal('n / 8'));

  test.each([
    ['compared', 'ba', { last_name: 'Bababa' }, `last_name = 'Bababa'`],
    [undefined, 'zoë ba', { last_name: 'Babado' }, `last_name = 'Babado'`],
    ['compared', 'company', { 'owner_id[exists]': 'false' }, 'owner_id IS NULL'],
    [undefined, 'kemu', { 'owner_id[exists]': 'false' }, 'owner_id IS NULL'],
    ['found', 'company', { 'tags[any]': ['tag-1'] }, `'tag-1' = ANY (tags)`],
    ['planned', 'kemu', { 'tags[any]': ['tag-1'] }, `'tag-1' = ANY (tags)`],
    ['searched', 'ba', { 'account_id[exists]': 'true' }, 'account_id IS NOT NULL'],
  ] as const)(
    'a search by the access path %s has the records with “%s” that meet %j',
    async (accessPath, q, filter, sql) => {
      const query = { q, ...filter };
      expect(await chooseAccessPath(db.database, large, contacts, query)).toBe(accessPath);
      const lists = new RecordLists(db.database, (error) => expect.fail(String(error)));
      const select = (columns: string) =>
        `SELECT ${columns} FROM contacts WHERE org_id = $1 AND ${hasWords} AND ${sql}`;
      const [counted] = await db.owner.query(statement<{ n: number }>('', select('count(*)::integer AS n')), [
        large,
        q,
      ]);
      expect(counted!.n).toBeGreaterThan(100);
      for (const [sort, order] of [
        ['id', 'id'],
        ['-id', 'id DESC'],
        ['last_name', 'lower(last_name), id'],
      ] as const) {
        const ordered = `${select('id')} ORDER BY ${order} LIMIT 5 OFFSET 3`;
        const wanted = await db.owner.query(statement<{ id: string }>('', ordered), [large, q]);
        const page = await lists.list(large, contacts, { ...query, sort, limit: 5, offset: 3 });
        expect(page.data.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        expect(page.total).toBe(Math.min(counted!.n, matchesMax));
        const exact = await lists.list(large, contacts, { ...query, sort, limit: 1, count: 'exact' });
        expect(exact.total).toBe(counted!.n);
      }
    },
  );
});

type Filter = Readonly<Record<string, unknown>>;

/** Returns the ways in which a list may find its matches. */
function accessPathsOf(table: RecordTable<unknown>, query: PageQuery): (AccessPath | undefined)[] {
  const names = filterNames(table, query);
  if (names.length === 1) return [undefined];
  const hasWords = names.includes(searchParameter);
  const hasTag = names.some((name) => name.startsWith('tags['));
  if (hasTag) return ['found', hasWords ? 'searched' : 'hashed', 'planned'];
  return hasWords ? ['searched', 'compared', undefined] : [undefined];
}

/** Returns every filter of a list, each with a value that many of its records have, and with a value that few have. */
async function filtersOf(orgId: string, table: RecordTable<unknown>): Promise<Filter[]> {
  const lists = new RecordLists(db.database, () => undefined);
  const { total } = await lists.list(orgId, table, { limit: 1 });
  const offsets = [0, Math.floor(total / 2), Math.max(0, total - 100)];
  const pages = await Promise.all(offsets.map((offset) => lists.list(orgId, table, { offset, limit: 100 })));
  const sample = pages.flatMap(({ data }) => data as Row[]);
  return filtersWithValues(table.resource, sample).flatMap(({ name, values }) => [
    { [name]: values[0] },
    { [name]: values.at(-1) },
  ]);
}

describe.each(recordTables.map((table) => [table.name, table] as const))('%s', (_, table) => {
  const sorts = sortsOf(table.resource.list);

  /** Returns queries for the first page and for one in the middle. */
  async function firstAndDeep(orgId: string, queries: readonly Filter[]): Promise<PageQuery[]> {
    const deep = await deepPages(db.database, orgId, table);
    return queries.map((query) => ({ limit, ...query })).flatMap((query) => [query, deep(query)]);
  }

  /** Returns a query for a page of the records that have no value to sort by, which come last. */
  function withoutKey(sort: string): PageQuery[] {
    const field = sort.replace(/^-/, '');
    if (field === 'id' || !sortKey(table, field).isNullable) return [];
    const query = { sort, limit };
    return [{ ...query, cursor: encodeCursor(scopeOf(large, table, query), { id: newId(), key: null }) }];
  }

  test('no sort, filter or pair of filters reads the table sequentially', async () => {
    const wrong: string[] = [];
    const known: GenericPlans = new Map();
    for (const orgId of [large, small]) {
      const filters = await filtersOf(orgId, table);
      const frequent = filters.filter((_, i) => i % 2 === 0);
      const pairs = frequent.flatMap((one, i) => frequent.slice(i + 1).map((other) => ({ ...one, ...other })));
      const sorted = sorts.flatMap((sort) => [{ sort }, ...frequent.map((filter) => ({ sort, ...filter }))]);
      const rare = filters.filter((_, i) => i % 2 === 1);
      // For rare filters and for pairs, only the first page is planned: a later page has just one more condition.
      const first = [...sorts.flatMap((sort) => rare.map((filter) => ({ sort, ...filter }))), ...pairs];
      const queries = await firstAndDeep(orgId, orgId === large ? sorted : filters);
      if (orgId === large) queries.push(...first.map((query) => ({ limit, ...query })));
      for (const query of queries) {
        for (const accessPath of accessPathsOf(table, query)) {
          for (const { statement, nodes } of await plansOf(db.database, orgId, table, query, { accessPath, known })) {
            for (const table of sequentiallyRead(nodes))
              wrong.push(`${statement} reads ${table} for ${JSON.stringify(query)}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a sort or filter alone reads a bounded number of rows', async () => {
    const filters = await filtersOf(large, table);
    const alone = [...sorts.map((sort) => ({ sort })), ...filters];
    const wrong: string[] = [];
    for (const query of [...(await firstAndDeep(large, alone)), ...sorts.flatMap(withoutKey)]) {
      for (const { statement, rowsRead } of await plansOf(db.database, large, table, query, { isAnalyzed: true })) {
        const isSorted =
          statement.endsWith('.sort') && !Object.keys(query).some((name) => name.startsWith('created_at'));
        const rowsMax = isSorted ? sortedRowsMax : query['sort'] === undefined ? matchedRowsMax : 0;
        if (rowsRead > rowsMax + pageRowsMax)
          wrong.push(`${statement} reads ${rowsRead} rows for ${JSON.stringify(query)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
