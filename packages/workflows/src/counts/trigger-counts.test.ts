import { type Db, newId, type Statement, statement } from '@relata/db';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countDeliveries } from '../deliveries.ts';
import { foldCounts } from '../execution.ts';
import { storeDeliveries } from '../intake.ts';
import { countFailedRuns, countOpenRuns, countRuns } from '../runs.ts';
import { type CountedOrganization, startCounted } from './counts.harness.ts';

let acme: CountedOrganization;
beforeAll(async () => {
  acme = await startCounted();
  // Disables autovacuum, so that plans depend only on statistics that a test itself collects.
  for (const table of ['workflow_runs', 'webhook_deliveries', 'trigger_minutes'])
    await acme.db.owner.query(statement('', `ALTER TABLE ${table} SET (autovacuum_enabled = off)`), []);
});
afterAll(() => acme[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const table of ['workflow_runs', 'webhook_deliveries', 'webhook_delivery_keys'])
    await acme.sql(`DELETE FROM ${table}`);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayStart = Math.floor(Date.now() / hourMs) * hourMs - 12 * hourMs;
const spanAt = (from: number, lengthMs = hourMs) => ({ from, to: from + lengthMs });
const all = { from: 0, to: Date.now() + 24 * hourMs };

/** Returns the kept counts of all kinds over a span, together with counts from the tables. */
async function compared(span = all) {
  const { db, orgId, triggerId } = acme;
  const counts = await Promise.all([
    countDeliveries(db.database, orgId, [span]),
    countDeliveries(db.database, orgId, [span], triggerId),
    countRuns(db.database, orgId, [span]),
    countFailedRuns(db.database, orgId, [span]),
  ]);
  const inSpan = `minute_of(id) >= $2::bigint / 60000 AND minute_of(id) < $3::bigint / 60000`;
  const [rows] = await acme.sql<Record<string, number>>(
    `SELECT (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND ${inSpan}) AS deliveries,
       (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND ${inSpan} AND trigger_id = $4) AS of_trigger,
       (SELECT count(*) FROM workflow_runs WHERE org_id = $1 AND ${inSpan}) AS runs,
       (SELECT count(*) FROM workflow_runs WHERE org_id = $1 AND ${inSpan} AND status = 'failed') AS failed`,
    [orgId, span.from, span.to, triggerId],
  );
  const [deliveries, of_trigger, runs, failed] = counts.map(([counted]) => counted!.count);
  return { counted: { deliveries, of_trigger, runs, failed }, stored: rows! };
}

async function expectExact(span = all) {
  const { counted, stored } = await compared(span);
  expect(counted).toEqual(stored);
  return counted;
}

test('a burst of 2,000 deliveries within a second is counted and not extrapolated (found B1)', async () => {
  const times = Array.from({ length: 2_000 }, (_, at) => dayStart + at / 2);
  await acme.store(times, { status: 'queued' });
  await acme.store([dayStart - 1, dayStart + hourMs], { triggerId: acme.otherTriggerId });
  const spans = [dayStart - hourMs, dayStart, dayStart + hourMs, dayStart + 2 * hourMs].map((from) => spanAt(from));
  const counted = await countDeliveries(acme.db.database, acme.orgId, spans);
  expect(counted).toEqual([1, 2_000, 1, 0].map((count, at) => ({ ...spans[at], count })));
  expect(await countDeliveries(acme.db.database, newId(), spans)).toMatchObject(spans.map(() => ({ count: 0 })));
  expect(await countDeliveries(acme.db.database, acme.orgId, spans, newId())).toMatchObject(
    spans.map(() => ({ count: 0 })),
  );
  expect(await expectExact()).toEqual({ deliveries: 2_002, of_trigger: 2_000, runs: 2_000, failed: 0 });
});

test('counts stay exact through concurrent writers, repeats, rollbacks, failures, retries and deletions', async () => {
  const { database } = acme.db;
  const store = acme.store;
  const work = async (i: number) => {
    const times = Array.from({ length: (i % 5) + 1 }, (_, at) => dayStart + i * 17_000 + at * 31_000);
    const status = ['queued', 'failed', 'succeeded'][i % 3]!;
    const ids = await store(times, { status, triggerId: i % 2 ? acme.triggerId : acme.otherTriggerId });
    if (i % 4 === 0) await acme.sql(`UPDATE workflow_runs SET status = 'queued' WHERE id = ANY ($1::uuid[])`, [ids]);
    if (i % 5 === 0) await acme.sql('DELETE FROM workflow_runs WHERE id = ANY ($1::uuid[])', [ids]);
    if (i % 7 === 0)
      await acme.sql('DELETE FROM webhook_deliveries WHERE minute_of(id) = $1', [Math.floor(times[0]! / minuteMs)]);
    const undone = database.transaction(async (tx) => {
      await tx.query(statement('', `UPDATE workflow_runs SET status = 'failed' WHERE id = ANY ($1::uuid[])`), [ids]);
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
  };
  await Promise.all(Array.from({ length: 60 }, (_, i) => work(i)));
  const repeated = {
    orgId: acme.orgId,
    triggerId: acme.triggerId,
    keyHash: 'ab'.repeat(32),
    body: Buffer.from('{}'),
    headers: {},
    skipped: [],
    runs: [],
  };
  await Promise.all(Array.from({ length: 8 }, () => storeDeliveries(database, [{ ...repeated, id: newId() }])));
  const { deliveries, failed } = await expectExact();
  expect(deliveries).toBeGreaterThan(50);
  expect(failed).toBeGreaterThan(5);
});

test('folding minutes into hours changes no count of whole or partial hours, even during other writes', async () => {
  const times = Array.from({ length: 300 }, (_, at) => dayStart + at * 47_000);
  for (let at = 0; at < 300; at += 50) await acme.store(times.slice(at, at + 50), { status: 'failed' });
  const spans = [spanAt(dayStart), spanAt(dayStart + 5 * minuteMs, 3 * hourMs), spanAt(dayStart + hourMs, minuteMs)];
  const before = await Promise.all(spans.map((span) => expectExact(span)));
  const [one, another] = await Promise.all([
    foldCounts(acme.db.database),
    foldCounts(acme.db.database),
    acme.store(times, { status: 'failed' }),
  ]);
  for (const span of spans) await expectExact(span);
  // The last fold finds nothing if the first two ran after the write.
  expect(one + another + (await foldCounts(acme.db.database))).toBeGreaterThan(0);
  const after = await Promise.all(spans.map((span) => expectExact(span)));
  expect(after.map(({ failed }) => failed)).toEqual(before.map(({ failed }) => failed! * 2));
  const isOld = 'org_id = $1 AND minute < $2';
  expect(await acme.sql(`SELECT FROM trigger_minutes WHERE ${isOld}`, [acme.orgId, dayStart / minuteMs + 600])).toEqual(
    [],
  );
});

test('an hour whose rows are all dropped leaves no counts behind', async () => {
  await acme.store([dayStart, dayStart + minuteMs], { status: 'failed' });
  await foldCounts(acme.db.database);
  expect(await acme.sql('SELECT FROM trigger_hours WHERE org_id = $1', [acme.orgId])).not.toEqual([]);
  await acme.sql('DELETE FROM workflow_runs');
  await acme.sql('DELETE FROM webhook_deliveries');
  await foldCounts(acme.db.database);
  expect(await acme.sql('SELECT FROM trigger_hours WHERE org_id = $1', [acme.orgId])).toEqual([]);
  await expectExact();
});

test('rows stored before counts were kept are counted if there are at most 500; deleting them subtracts nothing', async () => {
  await using old = await startCounted();
  const asOwner = (text: string) => old.db.owner.query(statement('', text), []);
  await asOwner(`UPDATE trigger_count_starts SET minute = ${(dayStart + 4 * hourMs) / minuteMs}`);
  const few = [dayStart, dayStart + minuteMs, dayStart + 4 * hourMs - 1];
  const ids = await old.store(few, { status: 'failed' });
  await old.store(
    Array.from({ length: 501 }, (_, at) => dayStart + hourMs + at),
    { status: 'failed' },
  );
  await old.store(
    Array.from({ length: 700 }, (_, at) => dayStart + 4 * hourMs + at),
    { status: 'failed' },
  );
  const spans = [0, 1, 3, 4].map((at) => spanAt(dayStart + at * hourMs));
  const ofAll = () =>
    Promise.all([
      countDeliveries(old.db.database, old.orgId, spans),
      countDeliveries(old.db.database, old.orgId, spans, old.triggerId),
      countRuns(old.db.database, old.orgId, spans),
      countFailedRuns(old.db.database, old.orgId, spans),
    ]);
  for (const counted of await ofAll()) expect(counted.map(({ count }) => count)).toEqual([2, null, 1, 700]);
  await old.sql('DELETE FROM workflow_runs WHERE id = ANY ($1::uuid[])', [ids]);
  const [, , runs, failed] = await ofAll();
  for (const counted of [runs!, failed!]) expect(counted.map(({ count }) => count)).toEqual([0, null, 0, 700]);
});

test('failed runs are counted with the number of their causes, and waiting runs without running ones', async () => {
  const times = [dayStart, dayStart + 1, dayStart + 2];
  await acme.store(times, { status: 'failed', step: 'each[1].send' });
  await acme.store(times, { status: 'failed', step: 'each[2].send' });
  await acme.store(times, { status: 'failed', step: 'notify' });
  await acme.store(times, { status: 'waiting' });
  await acme.store(times, { status: 'running' });
  expect(await countOpenRuns(acme.db.database, acme.orgId)).toEqual({ failed: 9, causes: 2, waiting: 3 });
  expect(await countOpenRuns(acme.db.database, newId())).toEqual({ failed: 0, causes: 0, waiting: 0 });
});

/** Returns the text of the statement without running it. */
async function textOf(work: (on: Db) => Promise<unknown>): Promise<string> {
  let text = '';
  const watching: Db = { query: (prepared: Statement<never>) => (({ text } = prepared), Promise.resolve([])) };
  await work(watching).catch(() => undefined);
  return text;
}

const counts: Record<string, (on: Db) => Promise<unknown>> = {
  deliveries: (on) => countDeliveries(on, acme.orgId, [spanAt(dayStart)]),
  'deliveries of a trigger': (on) => countDeliveries(on, acme.orgId, [spanAt(dayStart)], acme.triggerId),
  'runs by time': (on) => countRuns(on, acme.orgId, [spanAt(dayStart)]),
  'failed runs by time': (on) => countFailedRuns(on, acme.orgId, [spanAt(dayStart)]),
  'runs that are open': (on) => countOpenRuns(on, acme.orgId),
};

test.for(Object.keys(counts))('the count of %s reads only the index entries that it counts', async (name) => {
  const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${await textOf(counts[name]!)}`);
  for (const isAnalyzed of [false, true]) {
    // Many rows, because the planner always scans a table of a few rows.
    const times = Array.from({ length: 2_000 }, (_, at) => dayStart - hourMs + at * 17_000);
    if (isAnalyzed) for (let n = 0; n < 3; n++) await acme.store(times, { status: 'succeeded' });
    if (isAnalyzed)
      await acme.db.owner.query(statement<never>('', 'ANALYZE webhook_deliveries, workflow_runs, trigger_minutes'), []);
    const plan = (await acme.db.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(
      /(Seq|Bitmap Heap) Scan on (webhook|workflow)_|Seq Scan on trigger_minutes|Sort Key: (d|r)\./,
    );
    expect(plan).toMatch(/Limit[^]*Index (Only )?Scan/);
  }
});
