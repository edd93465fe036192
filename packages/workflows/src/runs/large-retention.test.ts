import { randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { type Database, newId, statement } from '@relata/db';
import { operatorIn } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeDefinition } from '../definitions/workflow.sql.ts';
import { storeDeliveries } from '../deliveries/delivery-store.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { dropOld } from './retention.sql.ts';

const old = 30 * 86_400_000;
/** Returns an id made in 2020. */
const oldId = () => `016f5e66-e800${newId().slice(13)}`;

let opened: TestDatabase;
beforeEach(async () => void (opened = await createTestDatabase()));
afterEach(() => opened[Symbol.asyncDispose]());

const sql = <Row>(text: string, values: readonly unknown[] = []) =>
  opened.owner.query(statement<Row>('', text), values);

interface Stored {
  runs: number;
  body?: string;
  inputs?: string;
  status?: 'succeeded' | 'failed';
}

/** Creates an organization; `store` stores old deliveries, each with a run, and returns the ids of the runs. */
async function createOrg() {
  const { database } = opened;
  const { id: orgId } = await createOrganization(database, 'Acme');
  const { trigger } = await createTrigger({ database }, operatorIn(orgId, 'test'), { name: 'Form' });
  const { applied } = await database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
  const store = async ({ runs, body = '{}', inputs = '{}', status = 'succeeded' }: Stored) => {
    const ids = Array.from({ length: runs }, oldId).toSorted();
    for (const id of ids) {
      const run = { id, workflowId: applied.id, version: 1, isLimited: false, inputs };
      const delivery = { orgId, id: oldId(), triggerId: trigger.id, keyHash: undefined, body: Buffer.from(body) };
      await storeDeliveries(database, [{ ...delivery, headers: {}, skipped: [], runs: [run] }]);
    }
    await sql(`UPDATE workflow_runs SET status = $2, finished_at = now() - interval '31 days' WHERE id = ANY ($1)`, [
      ids,
      status,
    ]);
    await sql(`UPDATE webhook_deliveries SET received_at = now() - interval '31 days'`);
    return ids;
  };
  return { orgId, store };
}

const addSteps = (runIds: readonly string[], count: number, output = 'null') =>
  sql(
    `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, output)
     SELECT org_id, id, format('each[%s].call', n), n, 'http.request', 'succeeded', $3
     FROM workflow_runs, generate_series(1, $2::int) n WHERE id = ANY ($1)`,
    [runIds, count, output],
  );

/** Makes a statement that deletes many rows or bytes at once exceed the timeout, as it does on a slow disk. */
async function slowDown(): Promise<void> {
  const tables = { workflow_run_steps: 'output', workflow_runs: 'inputs', webhook_deliveries: 'body' };
  for (const [table, column] of Object.entries(tables))
    await sql(
      `DO $do$ BEGIN
         CREATE FUNCTION slow_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF (SELECT count(*) > 10000 OR sum(pg_column_size(${column})) > 15000000 FROM gone) THEN
             PERFORM pg_sleep(100);
           END IF;
           RETURN NULL;
         END $$;
         CREATE TRIGGER slow AFTER DELETE ON ${table}
           REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION slow_${table}();
       END $do$`,
    );
}

const counts = () =>
  sql(`SELECT (SELECT count(*)::integer FROM workflow_run_steps) AS steps,
    (SELECT count(*)::integer FROM workflow_runs) AS runs,
    (SELECT count(*)::integer FROM webhook_deliveries) AS deliveries`);

const json = (bytes: number) => JSON.stringify(randomBytes((bytes * 3) / 4).toString('base64'));

test.for<[string, (store: Awaited<ReturnType<typeof createOrg>>['store']) => Promise<number>]>([
  [
    'runs with many steps',
    async (store) => {
      await addSteps(await store({ runs: 12 }), 1_900);
      return 12;
    },
  ],
  [
    'a run with more steps than a statement deletes',
    async (store) => {
      await addSteps(await store({ runs: 1 }), 22_000);
      return 1;
    },
  ],
  [
    'a run with large outputs',
    async (store) => {
      await addSteps(await store({ runs: 1 }), 120, json(200_000));
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
  'of an organization with %s, old rows are deleted in statements that end in time, and then those of others',
  async ([, fill]) => {
    const organizations = [await createOrg(), await createOrg(), await createOrg()];
    for (const { store } of organizations) await addSteps(await store({ runs: 1 }), 2);
    const count = await fill(organizations[1]!.store);
    await slowDown();
    expect(await dropOld(opened.database, old)).toEqual({ runs: count + 3, deliveries: count + 3 });
    expect(await counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
  },
);

test('a failed run that has lost a part of its journal can no longer be retried, and the next round deletes the rest', async () => {
  const { store } = await createOrg();
  const [first, large] = await store({ runs: 2, status: 'failed' });
  await addSteps([first!], 2);
  await addSteps([large!], 12_000);
  const stop = new AbortController();
  const query: Database['query'] = async (prepared, values) => {
    const rows = await opened.database.query(prepared, values);
    if (prepared.name === 'workflow_runs.drop_old') stop.abort(new Error('stopped'));
    return rows;
  };
  await expect(dropOld({ ...opened.database, query }, old, stop.signal)).rejects.toThrow('stopped');
  expect(await sql('SELECT id, status FROM workflow_runs')).toEqual([{ id: large, status: 'cancelled' }]);
  expect(await counts()).toMatchObject([{ steps: 2_003 }]);
  expect(await dropOld(opened.database, old)).toEqual({ runs: 1, deliveries: 2 });
  expect(await counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
});

test('old runs and their steps are read from primary keys, even if the plan was made on empty tables', async () => {
  await createOrg();
  let text = '';
  const query: Database['query'] = async (prepared, values) => {
    if (prepared.name === 'workflow_runs.drop_old') ({ text } = prepared);
    return opened.database.query(prepared, values);
  };
  await dropOld({ ...opened.database, query }, old);
  const lines = await sql<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
  const plan = lines.map((row) => row['QUERY PLAN']).join('\n');
  for (const table of ['workflow_runs', 'workflow_run_steps']) {
    expect(plan).toContain(`using ${table}_pkey on ${table}`);
    expect(plan).not.toMatch(new RegExp(`(Seq|Bitmap Heap) Scan on ${table}`));
  }
});

test('if retention fails for one organization, it deletes the rows of the others and then throws', async () => {
  const [first, broken, last] = [await createOrg(), await createOrg(), await createOrg()];
  for (const { store } of [first, broken, last]) await store({ runs: 1 });
  await sql(
    `DO $do$ BEGIN
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON workflow_runs
         FOR EACH ROW WHEN (OLD.org_id = '${broken.orgId}') EXECUTE FUNCTION refuse();
     END $do$`,
  );
  await expect(dropOld(opened.database, old)).rejects.toThrow('broken');
  expect(await sql('SELECT org_id FROM workflow_runs')).toEqual([{ org_id: broken.orgId }]);
  expect(await sql('SELECT org_id FROM webhook_deliveries')).toEqual([{ org_id: broken.orgId }]);
});
