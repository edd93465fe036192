import { type Database, type Db, statement } from '@relata/db';
import { until } from '@relata/testing';
import { claimRuns, type RunEntries } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startWorkflows } from '../../workflow-worker.harness.ts';
import { JournalWrites } from './journal-writes.ts';

const definition = {
  name: 'calls',
  inputs: {},
  steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: 'https://api.example/' } }],
};

const writing = (run: Omit<RunEntries, 'entries' | 'outcome'>, output = '{}'): RunEntries => ({
  ...run,
  entries: [{ path: 'call', position: 0, use: 'http.request', status: 'succeeded', attempts: 1, output }],
  outcome: { status: 'succeeded' },
});

/** Counts statements. */
function counted(database: Database): { db: Db; counts: { statements: number } } {
  const counts = { statements: 0 };
  const query: Db['query'] = (prepared, values) => {
    counts.statements++;
    return database.query(prepared, values);
  };
  return { db: { query }, counts };
}

/** Runs that were claimed, of which nothing is written yet. */
async function claimed(count: number) {
  const workflows = await startWorkflows();
  const { database, orgId } = workflows;
  const workflowId = await workflows.apply(definition);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await workflows.deliver(workflowId, { isSilent: true }));
  const names = ids.map((id) => [orgId, id] as const);
  const runs = await claimRuns(database, names, { worker: 'test', leaseMs: 60_000, limit: count });
  const held = ids.map((id) => ({ orgId, id, epoch: runs.find((run) => run.id === id)!.epoch }));
  const statuses = async () => Promise.all(ids.map(async (id) => (await workflows.runOf(id)).status));
  return { workflows, database, held, statuses };
}

test('what several runs write at the same time is one statement, and one that was cancelled leaves the others alone', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const { db, counts } = counted(database);
  await workflows.cancel(held[1]!.id);
  const writes = new JournalWrites(db);
  const settled = await Promise.allSettled(held.map((run) => writes.write(writing(run))));
  expect(settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'written'))).toEqual([
    'written',
    'LeaseLostError',
    'written',
  ]);
  expect(await statuses()).toEqual(['succeeded', 'cancelled', 'succeeded']);
  expect(counts.statements).toBe(1);
});

test('one whose entries cannot be written fails alone', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const writes = new JournalWrites(database);
  const settled = await Promise.allSettled(held.map((run, at) => writes.write(writing(run, at === 1 ? '{' : '{}'))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await statuses()).toEqual(['succeeded', 'running', 'succeeded']);
});

const lockRun = statement<never>('', 'SELECT FROM workflow_runs WHERE org_id = $1 AND id = $2 FOR UPDATE');
const listWaiting = statement<{ pid: number }>(
  'test.waiting_for_lock',
  `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

test('one that deadlocks with another transaction is written alone, and the others are not done again for it', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const { db, counts } = counted(database);
  const writes = new JournalWrites(db);
  // Runs are locked in the order of their ids: the other transaction has the last one, and then wants the first.
  const [first, , last] = held.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  let written: Promise<unknown[]> | undefined;
  await workflows.owner.transaction(async (other) => {
    await other.query(lockRun, [last!.orgId, last!.id]);
    written = Promise.all(held.map((run) => writes.write(writing(run))));
    written.catch(() => undefined);
    await until(async () => expect(await workflows.owner.query(listWaiting, [])).toHaveLength(1));
    // PostgreSQL ends the transaction that has waited for longer: that of the journals.
    await other.query(lockRun, [first!.orgId, first!.id]);
  });
  await written;
  expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(counts.statements).toBeGreaterThan(2);
});
