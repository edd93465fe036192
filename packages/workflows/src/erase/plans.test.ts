import { type Db, StandaloneUnitDb, newId, type Statement, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eraseDeliveries, findDeliveriesByRuns } from './erase-runs.sql.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** Returns the texts of all statements that search and delete the deliveries of a page. */
async function statements(): Promise<string[]> {
  const texts = new Map<string, string>();
  const [orgId, id] = [newId(), newId()];
  const run = { id, delivery_id: newId(), is_ended: true };
  const watching: Db = {
    query: ({ name, text }: Statement<unknown>) => {
      texts.set(name, text);
      // The first part deletes no delivery, so that a second part follows.
      const dropped = { runs: 0, deliveries: texts.has('workflow_runs.mark_begun_erase') ? 1 : 0 };
      return Promise.resolve([{ ...run, ...dropped, run_id: id, path: null } as never]);
    },
  };
  await findDeliveriesByRuns(watching, orgId, [id], ['ada@robotics.example']);
  const unit = new StandaloneUnitDb((prepared, values) => watching.query(prepared, values));
  await eraseDeliveries({ ...watching, transaction: (work) => work(unit) }, orgId, [id]);
  return [...texts.values()];
}

test('runs and journals are looked up one by one, even if the plan was made on empty tables', async () => {
  const texts = await statements();
  expect(texts.length).toBeGreaterThanOrEqual(6);
  for (const text of texts) {
    const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${text}`);
    const plan = (await db.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
    expect(plan, text).not.toMatch(/Seq Scan on /);
    // Without such a condition, the index would be read for the whole organization.
    for (const [, condition] of plan.matchAll(/Index Cond: (.*)/g))
      expect(condition, text).toMatch(/= ANY \(|delivery_id =|run_id =|\bid =/);
  }
});
