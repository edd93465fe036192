import { type Database, type Db, StandaloneUnitDb, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LargeRuns, openLargeRuns } from '../runs/large-runs.harness.ts';
import { reopenRun } from '../runs/run-control.sql.ts';
import { retryFailedPage, retryRuns } from '../runs/run.operations.ts';
import { eraseRunsPage } from './erase-runs.operations.ts';

let db: LargeRuns;
beforeEach(async () => void (db = await openLargeRuns()));
afterEach(() => db[Symbol.asyncDispose]());

const erase = (orgId: string, of: Database['of'] = db.database.of) => {
  const database = { ...db.database, of, scanOf: db.database.scanOf };
  return eraseRunsPage({ database, takeTurn: () => Promise.resolve() }, orgId, { texts: ['ada@robotics.example'] });
};
const context = () => ({ database: db.database, bus: noopBus });

/** Stores three deliveries with a failed run each. Returns the ids of the runs, the oldest first. */
async function storeFailed() {
  const { orgId, store } = await db.createOrg();
  const ids = await store({ runs: 3, status: 'failed', body: '{"email":"ada@robotics.example"}' });
  return { orgId, ids, oldest: ids[0]!, newest: ids[2]! };
}

const lockRun = statement<object>('', 'SELECT FROM workflow_runs WHERE id = $1 FOR UPDATE');
const statusOf = (id: string) => db.sql('SELECT status FROM workflow_runs WHERE id = $1', [id]);
const setStatus = (id: string, status: string) =>
  db.sql('UPDATE workflow_runs SET status = $2 WHERE id = $1', [id, status]);

/** Starts an action while a transaction holds a lock. Once the action waits for the lock, calls `look` and commits. */
async function startWaiting<Result>(
  lock: (tx: Db) => Promise<unknown>,
  act: () => Promise<Result>,
  look: () => Promise<void> = () => Promise.resolve(),
): Promise<Result> {
  const started = await db.owner.transaction(async (tx) => {
    await lock(tx);
    const acting = act();
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => expect(await db.sql(waiting)).toHaveLength(1));
    await look();
    return { acting };
  });
  return started.acting;
}

test.for<[string, (orgId: string, ids: readonly string[]) => Promise<unknown>]>([
  ['an erase', (orgId) => erase(orgId)],
  ['a retry', (orgId, ids) => retryRuns(context(), operatorActor(orgId, 'test'), [...ids])],
  ['a bulk retry', (orgId) => retryFailedPage(context(), operatorActor(orgId, 'test'), {})],
])('%s locks the newest run first, so that it does not deadlock with the others', async ([, act]) => {
  const { orgId, ids, newest } = await storeFailed();
  const free = 'SELECT id FROM workflow_runs WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED';
  await startWaiting(
    (tx) => tx.query(lockRun, [newest]),
    () => act(orgId, ids),
    async () => expect(await db.sql(free, [ids])).toEqual(ids.slice(0, 2).map((id) => ({ id }))),
  );
});

test('a run that is retried while an erase waits for it stays with its delivery', async () => {
  const { orgId, newest } = await storeFailed();
  const erased = await startWaiting(
    (tx) => reopenRun(tx, orgId, newest, true),
    () => erase(orgId),
  );
  expect(erased).toMatchObject({ deliveries: 2, runs: 2, active: 1 });
  expect(await statusOf(newest)).toEqual([{ status: 'queued' }]);
  expect(await db.counts()).toEqual([{ steps: 0, runs: 1, deliveries: 1 }]);
});

test('an erase does not wait for active runs, which workers lock the oldest first', async () => {
  const { orgId, oldest } = await storeFailed();
  await setStatus(oldest, 'running');
  await db.owner.transaction(async (tx) => {
    await tx.query(lockRun, [oldest]);
    expect(await erase(orgId)).toMatchObject({ deliveries: 2, runs: 2, active: 1 });
  });
  expect(await statusOf(oldest)).toEqual([{ status: 'running' }]);
});

test('a run that fails after an erase has locked the others stays, because it can be retried', async () => {
  const { orgId, oldest } = await storeFailed();
  await setStatus(oldest, 'running');
  const of = (id: string) => {
    const own = db.database.of(id);
    const query: Db['query'] = (prepared, values) => own.query(prepared, values);
    const transaction: typeof own.transaction = (work) =>
      own.transaction((tx) => {
        const failing: Db['query'] = async (prepared, values) => {
          const rows = await tx.query(prepared, values);
          if (prepared.name === 'workflow_runs.lock_for_erase') await setStatus(oldest, 'failed');
          return rows;
        };
        return work(new StandaloneUnitDb(failing));
      });
    return { query, transaction };
  };
  expect(await erase(orgId, of)).toMatchObject({ deliveries: 2, runs: 2, active: 1 });
  expect(await statusOf(oldest)).toEqual([{ status: 'failed' }]);
});
