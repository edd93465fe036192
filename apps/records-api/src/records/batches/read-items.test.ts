import { type Db, newId } from '@relata/db';
import { recordTables } from '@relata/records';
import { expect, test } from 'vitest';
import { type ItemWrites, itemReaders } from './batch-item.ts';
import { readItems } from './read-items.ts';
import { useBatches } from './batch.harness.ts';

const { api } = useBatches();

test('what faulty items name is looked for by one statement, and each is answered for its own', async () => {
  const { tenant, other, db } = api();
  let statements = 0;
  const counting: Db = {
    query: (...query) => {
      statements++;
      return db.database.query(...query);
    },
  };
  const table = recordTables.find(({ name }) => name === 'opportunities')!;
  const { create } = itemReaders(table, {} as ItemWrites);
  const items = Array.from({ length: 500 }, (_, i) => {
    const account_id = [tenant.ids.account.toUpperCase(), other.ids.account, newId(), 'none'][i % 4];
    return { opportunity_name: '', account_id, stage_id: i % 8 < 4 ? tenant.ids.stage : newId() };
  });
  const read = await readItems({ db: counting, orgId: tenant.orgId, table, read: create }, items);
  const fields = read.map((item) => ('error' in item ? item.error.details!.map(({ field }) => field).toSorted() : []));
  expect(statements).toBe(1);
  const one = [
    ['opportunity_name'],
    ['account_id', 'opportunity_name'],
    ['account_id', 'opportunity_name'],
    ['account_id', 'opportunity_name'],
  ];
  const both = one.map((names) => [...names, 'stage_id']);
  expect(fields.slice(0, 16)).toEqual([...one, ...both, ...one, ...both]);
});
