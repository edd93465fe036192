import { type Database, type Db, StandaloneUnitDb, openDatabase, type OrganizationDb } from '@relata/db';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type LargeRuns, openLargeRuns } from '../runs/large-runs.harness.ts';
import { eraseRefusedPosts, eraseRunsPage } from './erase-runs.operations.ts';

const texts = ['ada@robotics.example'];

let db: LargeRuns;
beforeEach(async () => void (db = await openLargeRuns()));
afterEach(() => db[Symbol.asyncDispose]());

const on = (database: Pick<Database, 'of' | 'scanOf'> = db.database) => ({
  database: { ...db.database, ...database },
  takeTurn: () => Promise.resolve(),
});

/** Adds the text to the first step of a run, which an erase deletes first. */
const addText = (runId: string) =>
  db.sql(
    `UPDATE workflow_run_steps SET output = '"ada@robotics.example"'
     WHERE run_id = $1 AND path = (SELECT min(path) FROM workflow_run_steps WHERE run_id = $1)`,
    [runId],
  );

test.for<[string, { runs: number; steps: number; output?: string; inputs?: string }]>([
  ['runs with many steps', { runs: 12, steps: 1_900 }],
  ['a run with more steps than a statement deletes', { runs: 1, steps: 22_000 }],
  ['a run with large outputs', { runs: 1, steps: 120, output: json(200_000) }],
  ['runs with large inputs', { runs: 6, steps: 1, inputs: json(4_000_000) }],
])('an erase deletes %s in statements that end in time', async ([, { runs, steps, output, inputs }]) => {
  const { orgId, store } = await db.createOrg();
  const ids = await store({ runs, ...(inputs !== undefined && { inputs }) });
  await db.addSteps(ids, steps, output);
  for (const id of ids) await addText(id);
  await db.slowDown();
  const expected = { deliveries: runs, runs, active: 0, next: undefined };
  expect(await eraseRunsPage(on(), orgId, { texts, isDryRun: true })).toEqual(expected);
  expect(await eraseRunsPage(on(), orgId, { texts })).toEqual(expected);
  expect(await db.counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
});

test('an erase searches long journals in statements that end in time, up to the last row', async () => {
  const { orgId, store } = await db.createOrg();
  const ids = await store({ runs: 3, inputs: '{"x":"ADA@robotics.example"}' });
  await db.addSteps(ids, 1_500);
  await db.addSteps(await store({ runs: 20 }), 10, json(300_000));
  await using impatient = openDatabase({ url: db.url, name: 'impatient', statementTimeoutMs: 2_000 });
  const many = [...Array.from({ length: 30 }, (_, at) => `nobody-${at}@robotics.example`), ...texts];
  expect(await eraseRunsPage(on(impatient), orgId, { texts: many, isDryRun: true })).toMatchObject({ deliveries: 3 });
});

/** Returns a database that fails after this number of statements, as if the process had been killed. */
function killedAfter(statements: number): Pick<Database, 'of' | 'scanOf'> {
  let left = statements;
  const queryOf =
    (own: Db): Db['query'] =>
    (prepared, values) => {
      if (left-- === 0) throw new Error('killed');
      return own.query(prepared, values);
    };
  const wrap = (own: OrganizationDb): OrganizationDb => ({
    query: queryOf(own),
    transaction: (work) => own.transaction((tx) => work(new StandaloneUnitDb(queryOf(tx)))),
  });
  return {
    of: (orgId) => wrap(db.database.of(orgId)),
    scanOf: (orgId) => ({ ...db.database.scanOf(orgId), ...wrap(db.database.scanOf(orgId)) }),
  };
}

test('a killed erase leaves no run that can be retried without its steps, and a later erase deletes the rest', async () => {
  const { orgId, store } = await db.createOrg();
  const ids = await store({ runs: 3, status: 'failed' });
  await db.addSteps(ids, 9_000);
  await addText(ids[0]!);
  // All runs belong to the delivery of the first.
  await db.sql(
    `UPDATE workflow_runs r SET delivery_id = first.delivery_id, replay = array_position($1::uuid[], r.id)
     FROM (SELECT delivery_id FROM workflow_runs WHERE id = $2) first`,
    [ids, ids[0]],
  );
  await db.sql(
    'DELETE FROM webhook_deliveries d WHERE NOT EXISTS (SELECT FROM workflow_runs WHERE delivery_id = d.id)',
  );
  const seen = new Set<number>();
  let isKilled = true;
  for (let statements = 1; isKilled; statements++) {
    const killed = eraseRunsPage(on(killedAfter(statements)), orgId, { texts });
    isKilled = await killed.then(
      () => false,
      ({ message }: Error) => message === 'killed',
    );
    const [left] = await db.sql<{ runs: number; broken: number }>(
      `SELECT count(*)::integer AS runs, (count(*) FILTER (WHERE status = 'failed' AND
         (SELECT count(*) FROM workflow_run_steps s WHERE s.run_id = r.id) < 9000))::integer AS broken
       FROM workflow_runs r`,
    );
    expect(left!.broken).toBe(0);
    seen.add(left!.runs);
  }
  // At least once, the run that had the text was already deleted, but the other two were not.
  expect(seen).toContain(2);
  expect(await db.counts()).toEqual([{ steps: 0, runs: 0, deliveries: 0 }]);
});

test('an erase deletes large refused posts in statements that end in time', async () => {
  const { orgId, triggerId } = await db.createOrg();
  await db.addRefusals(orgId, triggerId, { posts: 60, body: `${json(500_000)} ada@robotics.example` });
  await db.addRefusals(orgId, triggerId, { posts: 150, body: 'grace@robotics.example' });
  await db.slowDown();
  expect(await eraseRefusedPosts(on(), orgId, { texts })).toBe(60);
  expect(await db.sql('SELECT count(*)::integer AS n FROM webhook_refusals')).toEqual([{ n: 150 }]);
});
