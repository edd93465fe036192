import { type Database, Executor, statement } from '@relata/db';
import { until } from '@relata/testing';
import { claimRuns, type HeldRun, writeJournal } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

const definition = {
  name: 'calls',
  inputs: {},
  steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: 'https://api.example/' } }],
};

/** Records that the only step of a run has succeeded, and with it the run. */
const write = (executor: Executor, run: HeldRun, output = '{}') =>
  writeJournal(
    executor.plain(run.org_id),
    run,
    [{ path: 'call', position: 0, use: 'http.request', status: 'succeeded', attempts: 1, output }],
    { status: 'succeeded' },
  );

/** Returns an executor, and counts its statements. */
function counted(database: Database): { executor: Executor; counts: { statements: number } } {
  const counts = { statements: 0 };
  const query: Database['query'] = (prepared, values) => {
    counts.statements++;
    return database.query(prepared, values);
  };
  return { executor: new Executor({ ...database, query }), counts };
}

/** Claims runs without writing anything to their journals. */
async function claimed(count: number) {
  const workflows = await startWorkflows();
  const { database, orgId } = workflows;
  const workflowId = await workflows.apply(definition);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await workflows.deliver(workflowId, { isSilent: true }));
  const names = ids.map((id) => [orgId, id] as const);
  const runs = await claimRuns(database, names, { worker: 'test', leaseMs: 60_000, limit: count });
  const held = ids.map((id) => runs.find((run) => run.id === id)!);
  const statuses = async () => Promise.all(ids.map(async (id) => (await workflows.runOf(id)).status));
  return { workflows, database, held, statuses };
}

test('several runs that write at the same time share a statement, and a cancelled run does not affect the others', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const { executor, counts } = counted(database);
  await workflows.cancel(held[1]!.id);
  const settled = await Promise.allSettled(held.map((run) => write(executor, run)));
  expect(settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'written'))).toEqual([
    'written',
    'LeaseLostError',
    'written',
  ]);
  expect(await statuses()).toEqual(['succeeded', 'cancelled', 'succeeded']);
  expect(counts.statements).toBe(1);
});

test('a run whose entries cannot be written fails alone', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const executor = new Executor(database);
  const settled = await Promise.allSettled(held.map((run, at) => write(executor, run, at === 1 ? '{' : '{}')));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await statuses()).toEqual(['succeeded', 'running', 'succeeded']);
});

const lockRun = statement<never>('', 'SELECT FROM workflow_runs WHERE org_id = $1 AND id = $2 FOR UPDATE');
const listWaiting = statement<{ pid: number }>(
  'test.waiting_for_lock',
  `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

test('a run that deadlocks with another transaction is written alone, and the other runs are not written again', async () => {
  const { workflows, database, held, statuses } = await claimed(3);
  await using _open = workflows;
  const { executor, counts } = counted(database);
  // Runs are locked in the order of their ids. The other transaction has locked the last run, and then requests the
  // first.
  const [first, , last] = held.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  let written: Promise<unknown[]> | undefined;
  await workflows.owner.transaction(async (other) => {
    await other.query(lockRun, [last!.org_id, last!.id]);
    written = Promise.all(held.map((run) => write(executor, run)));
    written.catch(() => undefined);
    await until(async () => expect(await workflows.owner.query(listWaiting, [])).toHaveLength(1));
    // PostgreSQL aborts the transaction that has waited longer, which is the one that writes the journals.
    await other.query(lockRun, [first!.org_id, first!.id]);
  });
  await written;
  expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(counts.statements).toBeGreaterThan(2);
});
