import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { claimLimitedRuns, claimRuns, listDueRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const make = { id: 'make', use: 'account.create', with: { set: { account_name: 'Once' } } };
const workflow = { name: 'simple', inputs: {}, steps: [make] };
const limited = { ...workflow, name: 'limited', max_running: 3 };

type Organization = Pick<Workflows, 'apply' | 'deliver' | 'orgId'>;

async function deliverMany({ deliver }: Organization, workflowId: string, count: number): Promise<string[]> {
  const runs = [];
  for (let n = 0; n < count; n++) runs.push(await deliver(workflowId, { isSilent: true }));
  return runs;
}

test('runs of a lost worker are found among any number of new runs, a few per organization', async () => {
  await using workflows = await startWorkflows();
  const other = await workflows.another();
  const lostOf = async (of: Organization, count: number, leaseMs: number) => {
    const id = await of.apply(workflow);
    const runs = await deliverMany(of, id, count);
    const names = runs.map((run) => [of.orgId, run] as const);
    await claimRuns(workflows.database, names, { worker: 'lost', leaseMs, limit: count });
    // New runs, which no worker has claimed yet.
    await deliverMany(of, id, 20);
    return runs;
  };
  const [many, one] = [await lostOf(workflows, 12, 1), await lostOf(other, 1, 1)];
  await lostOf(other, 3, 60_000);
  await until(async () => expect((await listDueRuns(workflows.database)).length).toBe(9));
  const due = await listDueRuns(workflows.database);
  expect(due.filter(({ org_id }) => org_id === other.orgId).map(({ id }) => id)).toEqual(one);
  expect(many).toEqual(
    expect.arrayContaining(due.filter(({ org_id }) => org_id === workflows.orgId).map(({ id }) => id)),
  );
});

/**
 * Claims runs of a workflow with a limit for a worker that is then lost. Adds new runs, which have been due for longer.
 */
async function loseLimited(workflows: Workflows, workflowId: string, count: number): Promise<string[]> {
  const lost = await deliverMany(workflows, workflowId, count);
  const of = { org_id: workflows.orgId, workflow_id: workflowId };
  const claimant = { worker: 'lost', leaseMs: 1, limit: count };
  const claimed = await workflows.database.transaction((db) => claimLimitedRuns(db, of, claimant));
  expect(claimed).toHaveLength(count);
  await workflows.database.query(copy, [lost[0], 200]);
  return lost;
}

/** Copies a run to new runs that have been due for an hour. */
const copy = statement<never>(
  'test.copy_new_runs',
  `INSERT INTO workflow_runs
     (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, due_at, is_limited)
   SELECT org_id, gen_random_uuid(), workflow_id, version, delivery_id, trigger_id, n, inputs,
     now() - interval '1 hour', is_limited
   FROM workflow_runs, generate_series(1, $2::integer) AS n WHERE id = $1`,
);

test('lost runs of a workflow with a limit are found, too, but no more than the limit allows', async () => {
  await using workflows = await startWorkflows();
  const id = await workflows.apply(limited);
  const lost = await loseLimited(workflows, id, 3);
  await workflows.apply({ ...limited, max_running: 2 });
  await until(async () => expect(await listDueRuns(workflows.database)).toHaveLength(2));
  for (const due of await listDueRuns(workflows.database)) {
    expect(due).toMatchObject({ org_id: workflows.orgId, workflow_id: id });
    expect(lost).toContain(due.id);
  }
});

test('all lost runs of a workflow whose limit was removed are found, however many others are active', async () => {
  await using workflows = await startWorkflows();
  const of = { org_id: workflows.orgId, workflow_id: await workflows.apply({ ...limited, max_running: 20 }) };
  await deliverMany(workflows, of.workflow_id, 9);
  const claimant = { worker: 'alive', leaseMs: 60_000, limit: 9 };
  await workflows.database.transaction((db) => claimLimitedRuns(db, of, claimant));
  await loseLimited(workflows, of.workflow_id, 2);
  await workflows.apply({ ...workflow, name: limited.name });
  await until(async () => expect(await listDueRuns(workflows.database)).toHaveLength(2));
});

test('a claim for a workflow with a limit takes named runs first, then lost runs, then the oldest', async () => {
  await using workflows = await startWorkflows();
  const of = { org_id: workflows.orgId, workflow_id: await workflows.apply(limited) };
  const lost = await loseLimited(workflows, of.workflow_id, 2);
  const [named] = await deliverMany(workflows, of.workflow_id, 1);
  await until(async () => expect(await listDueRuns(workflows.database)).toHaveLength(2));
  const claim = (limit: number, ids: string[]) =>
    workflows.database.transaction(async (db) => {
      const claimed = await claimLimitedRuns(db, of, { worker: 'w', leaseMs: 60_000, limit }, ids);
      return claimed.map((run) => run.id);
    });
  expect(await claim(1, [named!])).toEqual([named]);
  expect((await claim(2, [named!])).toSorted()).toEqual(lost.toSorted());
  expect(await claim(1, [])).toEqual([]);
});

test('a lost run of a workflow with a limit continues even while other runs fill all slots of its organization', async () => {
  const open = new Set<() => void>();
  await using outside = await startOutside((response) => void open.add(() => response.end()));
  await using workflows = await startWorkflows();
  const [run] = await loseLimited(workflows, await workflows.apply({ ...limited, max_running: 1 }), 1);
  const call = { id: 'call', use: 'http.request', with: { method: 'GET', url: outside.url }, timeout: '60s' };
  const calling = await workflows.apply({ name: 'calling', inputs: {}, steps: [make, call] });
  const first = await workflows.deliver(calling, { isSilent: true });
  await workflows.database.query(copy, [first, 5_000]);
  const answering = setInterval(() => {
    for (const end of open) end();
    open.clear();
  }, 20);
  try {
    await workflows.openWorker({ concurrency: 2 });
    await workflows.reached(run!, 'succeeded');
    expect((await workflows.database.query(left, [workflows.orgId]))[0]!.n).toBeGreaterThan(1_000);
  } finally {
    clearInterval(answering);
  }
});

const left = statement<{ n: number }>(
  'test.new_runs',
  `SELECT count(*)::integer AS n FROM workflow_runs WHERE org_id = $1 AND status = 'queued' AND NOT is_limited`,
);
