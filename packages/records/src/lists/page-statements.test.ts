import { type Db, preparedName } from '@relata/db';
import { listFilters, sortsOf } from '@relata/schemas';
import { expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { recordTables } from '../record-tables.ts';
import type { RecordTable } from '../table/record-table.ts';
import { encodeCursor } from './list-cursor.ts';
import { listRecords, type PageQuery, scopeOf } from './record-page.sql.ts';
import { isPlannedForValues } from './list-plan.ts';
import { listPlanned } from './planned-page.sql.ts';

type Table = RecordTable<unknown>;

const orgId = crypto.randomUUID();
/** Fake result row of every statement. */
const row = { matches: 1_000_000, total: 0, n: 0, id: null };

/** Maximum number of statements for lists that a connection keeps prepared; they take 22 MB. */
const preparedMax = 140;
/** Maximum number of names of these statements in metrics, which keep 500 names in all. */
const namesMax = 75;

/** Returns queries of every shape: without a filter, with each filter, and with all filters of the contract. */
function queriesOf(table: Table): PageQuery[] {
  const valueOf = (name: string) => (listFilters(table.resource.list).get(name)?.operator === 'in' ? ['x'] : 'x');
  const first = Object.keys(table.filters);
  const filters = [[], ...[...first, ...listFilters(table.resource.list).keys()].map((name) => [name]), first];
  const sorts = sortsOf(table.resource.list);
  const bases = filters.flatMap((names) =>
    // A list that is sorted by a field is planned each time, whatever its filters.
    (names.length === 0 ? sorts : sorts.slice(0, 2)).flatMap((sort) =>
      (['none', undefined] as const).map((count): PageQuery => ({
        limit: 25,
        sort,
        count,
        ...Object.fromEntries(names.map((name) => [name, valueOf(name)])),
      })),
    ),
  );
  return bases.flatMap((query) => {
    const key = ['id', '-id'].includes(query.sort!) ? {} : { key: 'x' };
    const cursor = encodeCursor(scopeOf(orgId, table, query), { id: orgId, ...key });
    return [query, { ...query, offset: 5 }, { ...query, cursor }];
  });
}

test('a connection keeps at most 140 statements of lists, which have at most 75 names in metrics', async () => {
  const prepared = new Map<string, string>();
  const names = new Set<string>();
  const db: Db = {
    query: (each) => {
      names.add(each.name);
      if (!each.isPlanned) {
        const text = prepared.getOrInsert(preparedName(each), each.text);
        if (text !== each.text) throw new Error(`${preparedName(each)} stands for two texts.`);
      }
      return Promise.resolve([row as never]);
    },
  };
  for (const table of recordTables) {
    for (const query of queriesOf(table)) {
      for (const isBounded of [false, true]) {
        if (isPlannedForValues(table, query)) await listPlanned({ db, scan: db }, orgId, table, query, isBounded);
        else await listRecords(db, orgId, table, query, isBounded);
      }
    }
  }
  expect(prepared.size).toBeLessThanOrEqual(preparedMax);
  expect(names.size).toBeLessThanOrEqual(namesMax);
});

test('a list refuses a filter whose SQL depends on its value, since statements are cached by the names of filters', async () => {
  const db: Db = { query: () => Promise.resolve([row as never]) };
  const query = { 'owner_id[exists]': 'true', limit: 1 };
  await expect(listRecords(db, orgId, contacts, query)).rejects.toThrow('without a value');
});
