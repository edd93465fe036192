import { setImmediate } from 'node:timers/promises';
import { type Db, newId } from '@relata/db';
import { recordTables } from '@relata/records';
import { expect, test } from 'vitest';
import { type FaultyItem, itemReaders } from './batch-item.ts';
import { readItems } from './read-items.ts';
import { setUpBatches } from './batch.harness.ts';

const { api } = setUpBatches();

test('the references of all faulty items are checked with two statements, and each item gets its own problems', async () => {
  const { tenant, other, db } = api();
  let statements = 0;
  const counting: Db = {
    query: (...query) => {
      statements++;
      return db.database.query(...query);
    },
  };
  const table = recordTables.find(({ name }) => name === 'opportunities')!;
  const { create } = itemReaders(table, 30);
  const items = Array.from({ length: 500 }, (_, i) => {
    const account_id = [tenant.ids.account.toUpperCase(), other.ids.account, newId(), 'none'][i % 4];
    return { opportunity_name: '', account_id, stage_id: i % 8 < 4 ? tenant.ids.stage : newId() };
  });
  const read = await readItems({ db: counting, orgId: tenant.orgId, table, read: create }, items);
  const fields = read.map((item) => ('error' in item ? item.error.details!.map(({ field }) => field).toSorted() : []));
  expect(statements).toBe(2);
  const one = [
    ['opportunity_name'],
    ['account_id', 'opportunity_name'],
    ['account_id', 'opportunity_name'],
    ['account_id', 'opportunity_name'],
  ];
  const both = one.map((names) => [...names, 'stage_id']);
  expect(fields.slice(0, 16)).toEqual([...one, ...both, ...one, ...both]);
});

/** Blocks the event loop for `ms`. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('other requests are served between the items of a batch while it is read and while its errors are created (found A1)', async () => {
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn++) await setImmediate();
  })();
  const perTurn = { read: new Map<number, number>(), made: new Map<number, number>() };
  const takeTurn = (stage: keyof typeof perTurn) => {
    work(1);
    perTurn[stage].set(turn, (perTurn[stage].get(turn) ?? 0) + 1);
  };
  const table = recordTables.find(({ name }) => name === 'accounts')!;
  const read = (_orgId: string, _item: unknown, index: number): FaultyItem => {
    takeTurn('read');
    return {
      index,
      get details() {
        takeTurn('made');
        return [];
      },
      unnamed: 0,
      records: [],
    };
  };
  const { db, tenant } = api();
  await readItems({ db: db.database, orgId: tenant.orgId, table, read }, Array(100).fill({}));
  isOver = true;
  await counting;
  for (const items of Object.values(perTurn)) {
    expect([...items.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(100);
    // Each item takes 1 ms, and a turn ends after 3 ms.
    expect(Math.max(...items.values())).toBeLessThanOrEqual(6);
  }
});
