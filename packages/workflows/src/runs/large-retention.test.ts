import type { Database } from '@relata/db';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type LargeRuns, openLargeRuns } from './large-runs.harness.ts';
import { dropOld } from './retention.sql.ts';

const old = 30 * 86_400_000;

let db: LargeRuns;
beforeEach(async () => void (db = await openLargeRuns()));
afterEach(() => db[Symbol.asyncDispose]());

type Store = Awaited<ReturnType<LargeRuns['createOrg']>>['store'];

test.for<[string, (store: Store) => Promise<number>]>([
  [
    'runs with many steps',
    async (store) => {
      await db.addSteps(await store({ runs: 12 }), 1_900);
      return 12;
    },
  ],
  [
    'a run with more steps than a statement deletes',
    async (store) => {
      await db.addSteps(await store({ runs: 1 }), 22_000);
      return 1;
    },
  ],
  [
    'a run with large outputs',
    async (store) => {
      await db.addSteps(await store({ runs: 1 }), 120, json(200_000));
      return 1;
    },
  ],
  [
    'runs with large inputs',
    async (store) => {
      await store({ runs: 6, inputs: json(4_000_000) });
      return 6;
    },
  ],
  [
    'large bodies',
    async (store) => {
      await store({ runs: 6, body: json(4_000_000) });
      return 6;
    },
  ],
])(
  'old rows of an organization with %s are deleted in statements that end in time, and then those of others',
  async ([, fill]) => {
    const organizations = [await db.createOrg(), await db.createOrg(), await db.createOrg()];
    for (const { store } of organizations) await db.addSteps(await store({ runs: 1 }), 2);
    const count = await fill(organizations[1]!.store);
    await db.slowDown();
    expect(await dropOld(db.database, old)).toEqual({ runs: count + 3, deliveries: count + 3 });
    expect(await db.counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
  },
);

test('a failed run that has lost a part of its journal can no longer be retried, and the next round deletes the rest', async () => {
  const { store } = await db.createOrg();
  const [first, large] = await store({ runs: 2, status: 'failed' });
  await db.addSteps([first!], 2);
  await db.addSteps([large!], 12_000);
  const stop = new AbortController();
  const query: Database['query'] = async (prepared, values) => {
    const rows = await db.database.query(prepared, values);
    if (prepared.name === 'workflow_runs.drop_old') stop.abort(new Error('stopped'));
    return rows;
  };
  await expect(dropOld({ ...db.database, query }, old, stop.signal)).rejects.toThrow('stopped');
  expect(await db.sql('SELECT id, status FROM workflow_runs')).toEqual([{ id: large, status: 'cancelled' }]);
  expect(await db.counts()).toMatchObject([{ steps: 2_003 }]);
  expect(await dropOld(db.database, old)).toEqual({ runs: 1, deliveries: 2 });
  expect(await db.counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
});

test('old runs and their steps are read from primary keys, even if the plan was made on empty tables', async () => {
  await db.createOrg();
  let text = '';
  const query: Database['query'] = async (prepared, values) => {
    if (prepared.name === 'workflow_runs.drop_old') ({ text } = prepared);
    return db.database.query(prepared, values);
  };
  await dropOld({ ...db.database, query }, old);
  const lines = await db.sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
  const plan = lines.map((row) => row['QUERY PLAN']).join('\n');
  for (const table of ['workflow_runs', 'workflow_run_steps']) {
    expect(plan).toContain(`using ${table}_pkey on ${table}`);
    expect(plan).not.toMatch(new RegExp(`(Seq|Bitmap Heap) Scan on ${table}`));
  }
});

test('if retention fails for one organization, it deletes the rows of the others and then throws', async () => {
  const [first, broken, last] = [await db.createOrg(), await db.createOrg(), await db.createOrg()];
  for (const { store } of [first, broken, last]) await store({ runs: 1 });
  await db.sql(
    `DO $do$ BEGIN
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON workflow_runs
         FOR EACH ROW WHEN (OLD.org_id = '${broken.orgId}') EXECUTE FUNCTION refuse();
     END $do$`,
  );
  await expect(dropOld(db.database, old)).rejects.toThrow('broken');
  expect(await db.sql('SELECT org_id FROM workflow_runs')).toEqual([{ org_id: broken.orgId }]);
  expect(await db.sql('SELECT org_id FROM webhook_deliveries')).toEqual([{ org_id: broken.orgId }]);
});
