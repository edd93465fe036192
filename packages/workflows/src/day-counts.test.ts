import { createOrganization } from '@relata/auth';
import { type Db, firstIdAt, newId, type Statement, statement } from '@relata/db';
import { noBus, operatorIn } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countDeliveries } from './deliveries.ts';
import { createTrigger } from './index.ts';
import { countFailedRuns, countOpenRuns, countRuns } from './runs.ts';
import { storeDeliveries } from './intake.ts';
import { storeDefinition } from './definitions/workflow.sql.ts';

let db: TestDatabase;
let orgId: string;
let triggerId: string;
let workflowId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
  const context = { database: db.database, bus: noBus };
  triggerId = (await createTrigger(context, operatorIn(orgId, 'test'), { name: 'Form' })).trigger.id;
  const { applied } = await db.database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
  workflowId = applied.id;
});
afterAll(() => db[Symbol.asyncDispose]());

const sliceMs = 15 * 60_000;
const sliceFrom = Math.floor(Date.now() / sliceMs) * sliceMs - 8 * sliceMs;

const sliceAt = (from: number) => ({ from, to: from + sliceMs });

/** An id of that time that is no other's. */
const idAt = (ms: number) => firstIdAt(ms).slice(0, 18) + newId().slice(18);

async function store(times: readonly number[], run: { status?: string; step?: string } = {}): Promise<void> {
  const runs = times.map((at) => ({ id: idAt(at), workflowId, version: 1, isLimited: false, inputs: {} }));
  const delivery = { orgId, triggerId, keyHash: undefined, body: Buffer.from('{}'), headers: {}, skipped: [] };
  await storeDeliveries(
    db.database,
    times.map((at, place) => ({ ...delivery, id: idAt(at), runs: run.status ? [runs[place]!] : [] })),
  );
  const error = JSON.stringify({ code: 'bad_status', message: 'Refused.', step: run.step });
  const change = statement<never>(
    'test.change',
    `UPDATE workflow_runs SET status = $1, error = $2::json WHERE org_id = $3 AND id = ANY ($4::uuid[])`,
  );
  if (run.status) await db.database.query(change, [run.status, error, orgId, runs.map(({ id }) => id)]);
}

test('what came in is counted by the quarter of an hour, and beyond 500 estimated by how soon the first came', async () => {
  const [few, none, many] = [sliceFrom, sliceFrom + sliceMs, sliceFrom + 2 * sliceMs];
  await store([few, few + 1, few + sliceMs - 1]);
  // Two a second for the whole of it.
  await store(Array.from({ length: 1_800 }, (_, at) => many + at * 500));
  const counted = await countDeliveries(db.database, orgId, [few, none, many].map(sliceAt));
  expect(counted.slice(0, 2)).toEqual([
    { ...sliceAt(few), count: 3, isEstimate: false },
    { ...sliceAt(none), count: 0, isEstimate: false },
  ]);
  expect(counted[2]).toMatchObject({ from: many, isEstimate: true });
  expect(Math.abs(counted[2]!.count - 1_800)).toBeLessThan(10);
  expect(await countDeliveries(db.database, newId(), [sliceAt(few)])).toMatchObject([{ count: 0 }]);
  expect(await countDeliveries(db.database, orgId, [])).toEqual([]);
  expect(await countDeliveries(db.database, orgId, [sliceAt(few)], triggerId)).toMatchObject([{ count: 3 }]);
  for (const [org, trigger] of [[newId(), triggerId] as const, [orgId, newId()] as const])
    expect(await countDeliveries(db.database, org, [sliceAt(few)], trigger)).toMatchObject([{ count: 0 }]);
});

test('runs are counted by when they were made, and those that failed among them', async () => {
  const slice = sliceAt(sliceFrom - 8 * sliceMs);
  const times = [slice.from, slice.from + 1, slice.to - 1];
  await store(times, { status: 'failed', step: 'early' });
  await store(times, { status: 'succeeded' });
  expect(await countRuns(db.database, orgId, [slice])).toMatchObject([{ count: 6, isEstimate: false }]);
  expect(await countFailedRuns(db.database, orgId, [slice])).toMatchObject([{ count: 3, isEstimate: false }]);
  expect(await countFailedRuns(db.database, newId(), [slice])).toMatchObject([{ count: 0 }]);
  await db.database.query(statement<never>('test.forget', 'DELETE FROM workflow_runs WHERE org_id = $1'), [orgId]);
});

test('failed runs are counted with their causes, whatever the item of a loop, and waiting ones beside running ones', async () => {
  const times = [sliceFrom, sliceFrom + 1, sliceFrom + 2];
  await store(times, { status: 'failed', step: 'each[1].send' });
  await store(times, { status: 'failed', step: 'each[2].send' });
  await store(times, { status: 'failed', step: 'notify' });
  await store(times, { status: 'waiting' });
  await store(times, { status: 'running' });
  expect(await countOpenRuns(db.database, orgId)).toEqual({ failed: 9, causes: 2, waiting: 3 });
  expect(await countOpenRuns(db.database, newId())).toEqual({ failed: 0, causes: 0, waiting: 0 });
});

/** The statement's text; it is not run. */
async function textOf(work: (on: Db) => Promise<unknown>): Promise<string> {
  let text = '';
  const watching: Db = { query: (prepared: Statement<never>) => (({ text } = prepared), Promise.resolve([])) };
  await work(watching).catch(() => undefined);
  return text;
}

const manyTimes = Array.from({ length: 2_000 }, (_, at) => sliceFrom - sliceMs + at);

const counts: Record<string, (on: Db) => Promise<unknown>> = {
  deliveries: (on) => countDeliveries(on, orgId, [sliceAt(sliceFrom)]),
  'deliveries of a trigger': (on) => countDeliveries(on, orgId, [sliceAt(sliceFrom)], triggerId),
  'runs by time': (on) => countRuns(on, orgId, [sliceAt(sliceFrom)]),
  'failed runs by time': (on) => countFailedRuns(on, orgId, [sliceAt(sliceFrom)]),
  'runs that are open': (on) => countOpenRuns(on, orgId),
};

test.for(Object.keys(counts))(
  'the count of %s reads no more than the entries of an index that it counts',
  async (name) => {
    const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${await textOf(counts[name]!)}`);
    for (const isAnalyzed of [false, true]) {
      // Of a table of a few rows any plan would scan it.
      if (isAnalyzed) for (let n = 0; n < 3; n++) await store(manyTimes, { status: 'succeeded' });
      if (isAnalyzed) await db.owner.query(statement<never>('', 'ANALYZE webhook_deliveries, workflow_runs'), []);
      const plan = (await db.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on (webhook|workflow)_|Sort Key: (d|r)\./);
      expect(plan).toMatch(/Limit[^]*Index (Only )?Scan/);
    }
  },
);
