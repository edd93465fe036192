import { createOrganization, hashCredential } from '@relata/auth';
import { type Database, type Db, StandaloneUnitDb, newId, openDatabase, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findDelivery } from '../deliveries/delivery.sql.ts';
import { insertReplay } from '../deliveries/replay.sql.ts';
import { storeDeliveries } from '../deliveries/delivery-store.sql.ts';
import { findOverdueRows } from './overdue.sql.ts';
import { dropOld } from './retention.sql.ts';
import { endRun } from './run-control.sql.ts';
import { findRun } from './run.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { storeDefinition } from '../definitions/workflow.sql.ts';

const dayMs = 86_400_000;
const old = 30 * dayMs;
/** Returns an id with a timestamp in 2020. */
const oldId = () => `016f5e66-e800${newId().slice(13)}`;

let opened: TestDatabase;
let database: Database;
let orgId: string;
let triggerId: string;
let workflowId: string;

beforeEach(async () => {
  opened = await createTestDatabase();
  database = opened.database;
  ({ id: orgId } = await createOrganization(database, 'Acme'));
  const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Form' });
  triggerId = trigger.id;
  ({
    applied: { id: workflowId },
  } = await database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' })));
});
afterEach(() => opened[Symbol.asyncDispose]());

const newRun = (id: string) => ({ id, workflowId, version: 1, isLimited: false, inputs: '{}' });

/** Stores a delivery with a repeat key and, if `runId` is given, a run that has ended. */
async function deliver({ id = oldId(), runId }: { id?: string; runId?: string } = {}) {
  const runs = runId === undefined ? [] : [newRun(runId)];
  const keyHash = hashCredential(id);
  const delivery = { orgId, id, triggerId, keyHash, body: Buffer.from('{}'), headers: {}, skipped: [], runs };
  await storeDeliveries(database, [delivery]);
  if (runId !== undefined) await database.transaction((db) => endRun(db, orgId, runId));
  return id;
}

const sql = (text: string) => database.query(statement<Record<string, unknown>>('', text), []);
const ageAll = (table: string, column: string) => sql(`UPDATE ${table} SET ${column} = now() - interval '31 days'`);
async function ageEverything(): Promise<void> {
  await ageAll('webhook_deliveries', 'received_at');
  await ageAll('workflow_runs', 'finished_at');
}

const orphans = () =>
  sql(`SELECT r.id FROM workflow_runs r
       WHERE NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.org_id = r.org_id AND d.id = r.delivery_id)`);

test('rows are dropped only if they are old both by their ids and by the clock of the database', async () => {
  const runId = oldId();
  const id = await deliver({ runId });
  expect(await dropOld(database, old)).toEqual({ runs: 0, deliveries: 0 });
  await ageAll('webhook_deliveries', 'received_at');
  expect(await dropOld(database, old)).toEqual({ runs: 0, deliveries: 0 });
  await ageAll('workflow_runs', 'finished_at');
  expect(await dropOld(database, old)).toEqual({ runs: 1, deliveries: 1 });
  expect([await findRun(database, orgId, runId), await findDelivery(database, orgId, id)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await sql('SELECT FROM webhook_delivery_keys')).toEqual([]);
});

test('the lag of retention counts rows to drop, but not rows kept on purpose', async () => {
  const overdue = () => findOverdueRows(database, old);
  const dayInSeconds = expect.closeTo(dayMs / 1_000, -2);
  await deliver({ id: newId(), runId: newId() });
  expect(await overdue()).toEqual({ runs: 0, deliveries: 0 });
  const openId = oldId();
  await deliver({ runId: openId });
  await ageEverything();
  await sql(`UPDATE workflow_runs SET status = 'waiting', finished_at = NULL, created_at = now() - interval '40 days'
             WHERE id = '${openId}'`);
  expect(await overdue()).toEqual({ runs: 0, deliveries: 0 });
  await deliver({ runId: oldId() });
  await sql(`UPDATE workflow_runs SET finished_at = now() - interval '31 days' WHERE finished_at IS NOT NULL`);
  expect(await overdue()).toEqual({ runs: dayInSeconds, deliveries: 0 });
  await deliver();
  await ageAll('webhook_deliveries', 'received_at');
  expect(await overdue()).toEqual({ runs: dayInSeconds, deliveries: dayInSeconds });
  expect(await dropOld(database, old)).toMatchObject({ runs: 1 });
  expect(await overdue()).toEqual({ runs: 0, deliveries: 0 });
});

test('the lag of retention is read from primary keys, even if the plan was made on empty tables', async () => {
  const sent: string[] = [];
  const query: Db['query'] = (prepared, values) => {
    sent.push(prepared.text);
    return database.query(prepared, values);
  };
  await findOverdueRows({ query }, old);
  const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${sent.at(-1)!}`);
  const plan = (await opened.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
  for (const table of ['workflow_runs', 'webhook_deliveries']) {
    expect(plan).toContain(`using ${table}_pkey on ${table}`);
    expect(plan).not.toMatch(new RegExp(`(Seq|Bitmap Heap) Scan on ${table}`));
  }
});

test('a process whose clock is wrong drops nothing that is fresh', async () => {
  await deliver({ id: newId(), runId: newId() });
  await deliver({ id: newId() });
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2099-01-01') });
  try {
    expect(await dropOld(database, old)).toEqual({ runs: 0, deliveries: 0 });
  } finally {
    vi.useRealTimers();
  }
});

test('rows may be kept for as long as a century', async () => {
  await deliver();
  await ageAll('webhook_deliveries', 'received_at');
  expect(await dropOld(database, 36_500 * dayMs)).toEqual({ runs: 0, deliveries: 0 });
});

test('more rows than one transaction drops are all dropped', async () => {
  const deliveries = Array.from({ length: 2_500 }, () => {
    const id = oldId();
    const more = { keyHash: undefined, body: Buffer.from('{}'), headers: {}, skipped: [], runs: [newRun(oldId())] };
    return { orgId, id, triggerId, ...more };
  });
  for (let i = 0; i < deliveries.length; i += 500) await storeDeliveries(database, deliveries.slice(i, i + 500));
  await sql(`UPDATE workflow_runs SET status = 'succeeded', finished_at = now() - interval '31 days'`);
  await ageAll('webhook_deliveries', 'received_at');
  expect(await dropOld(database, old)).toEqual({ runs: 2_500, deliveries: 2_500 });
});

test('a delivery that gets a run after retention chose it stays', async () => {
  const id = await deliver();
  await ageAll('webhook_deliveries', 'received_at');
  const runId = newId();
  const startRun = `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, inputs)
    VALUES ('${orgId}', '${runId}', '${workflowId}', 1, '${id}', '${triggerId}', '{}')`;
  const interrupted: Database = {
    ...database,
    transaction: (work) =>
      database.transaction((db) => {
        const query: Db['query'] = async (prepared, values) => {
          const rows = await db.query(prepared, values);
          if (prepared.name === 'webhook_deliveries.lock_old' && rows.length > 0) await sql(startRun);
          return rows;
        };
        return work(new StandaloneUnitDb(query));
      }),
  };
  expect(await dropOld(interrupted, old)).toEqual({ runs: 0, deliveries: 0 });
  expect(await orphans()).toEqual([]);
});

/** Opens a connection for retention. A test can block it right after a statement has taken its snapshot. */
async function openHeld(stack: AsyncDisposableStack, indexes: readonly string[]) {
  // Without this, small tables would be read without their indexes.
  const [named] = await sql('SELECT current_database() AS name');
  for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
    await opened.owner.query(statement('', `ALTER DATABASE ${String(named!['name'])} SET enable_${way} = off`), []);
  const connect = (name: string) => stack.use(openDatabase({ url: opened.url, name, poolMax: 1 }));
  const retention = connect('retention');
  // Plans the statements now. Planning would otherwise wait for the locked indexes before a snapshot is taken.
  for (let i = 0; i < 2; i++) {
    await deliver({ runId: oldId() });
    await ageEverything();
    await dropOld(retention, old);
  }
  const [taken, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    connect,
    /** Starts retention, and returns once it waits for a lock. */
    async begin() {
      stack.defer(() => over.resolve());
      const holding = opened.owner.transaction(async (db) => {
        for (const index of indexes)
          await db.query(statement('', `ALTER INDEX ${index} SET TABLESPACE pg_default`), []);
        taken.resolve();
        await over.promise;
      });
      await taken.promise;
      const dropping = dropOld(retention, old);
      await until(async () => expect(await waiting()).toContain('retention'));
      return {
        async goOn() {
          over.resolve();
          await holding;
          return dropping;
        },
      };
    },
  };
}

test('a replay in the middle of retention keeps its delivery, or starts nothing', async () => {
  await using stack = new AsyncDisposableStack();
  // Blocks retention at the indexes of repeat keys, which a replay does not use.
  const held = await openHeld(stack, ['webhook_delivery_keys_delivery', 'webhook_delivery_keys_pkey']);
  const operator = held.connect('operator');
  const id = await deliver();
  await ageEverything();
  const retention = await held.begin();
  let isReplayed = false;
  const replaying = operator
    .transaction((db) => insertReplay(db, { org_id: orgId, id, trigger_id: triggerId }, [newRun(newId())]))
    .finally(() => (isReplayed = true));
  await until(async () => expect(isReplayed || (await waiting()).includes('operator')).toBe(true));
  const [{ deliveries }, started] = await Promise.all([retention.goOn(), replaying]);
  expect(await orphans()).toEqual([]);
  expect(deliveries === 1).toBe(started === undefined);
});

test('a run that was retried after retention examined it stays, with its delivery', async () => {
  await using stack = new AsyncDisposableStack();
  const held = await openHeld(stack, ['workflow_run_steps_pkey']);
  const runId = oldId();
  const id = await deliver({ runId });
  await ageEverything();
  const retention = await held.begin();
  // Changes the run as a retry does, while retention waits at the steps.
  await sql(`UPDATE workflow_runs SET status = 'queued', finished_at = NULL WHERE id = '${runId}'`);
  expect(await retention.goOn()).toEqual({ runs: 0, deliveries: 0 });
  expect(await findRun(database, orgId, runId)).toMatchObject({ status: 'queued', delivery_id: id });
});

/** Returns the connections that wait for a lock. */
async function waiting(): Promise<unknown[]> {
  const rows = await sql(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.map(({ name }) => name);
}
