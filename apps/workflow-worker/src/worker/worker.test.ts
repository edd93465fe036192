import { statement } from '@relata/db';
import { claimRuns } from '@relata/workflows/execution';
import { until } from '@relata/testing';
import { describe, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { foundWithinMs, openWorker, startWorkflows } from '../workflow-worker.harness.ts';

const create = { id: 'account', use: 'account.create', with: { set: { account_name: 'Once' } } };
const simple = { name: 'simple', inputs: {}, steps: [create] };
const calling = {
  name: 'calling',
  inputs: { url: { type: 'string' } },
  steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ inputs.url }}' } }, create],
};

const accountsOf = statement<{ n: number }>('test.accounts', 'SELECT count(*) AS n FROM accounts WHERE org_id = $1');

async function countAccounts({ database, orgId }: Awaited<ReturnType<typeof startWorkflows>>) {
  return (await database.query(accountsOf, [orgId]))[0]!.n;
}

test('finds a run that no worker was notified of', async () => {
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const id = await workflows.deliver(await workflows.apply(simple), { isSilent: true });
  expect(await workflows.reached(id, 'succeeded')).toMatchObject({ error: null });
});

test('without NATS, runs are found in the database, even if there are many more runs than slots', async () => {
  await using workflows = await startWorkflows();
  const id = await workflows.apply(simple);
  const runs = await Promise.all(Array.from({ length: 60 }, () => workflows.deliver(id, { isSilent: true })));
  await workflows.openWorker({ natsUrl: 'nats://127.0.0.1:1', concurrency: 4 });
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(await countAccounts(workflows)).toBe(60);
});

test('several workers share the runs, and execute each once', async () => {
  await using workflows = await startWorkflows();
  await Promise.all([1, 2, 3].map(() => workflows.openWorker({ concurrency: 4 })));
  const id = await workflows.apply(simple);
  const runs = await Promise.all(
    Array.from({ length: 100 }, (_, i) => workflows.deliver(id, { isSilent: i % 2 === 0 })),
  );
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(await countAccounts(workflows)).toBe(100);
});

describe('a lease', () => {
  test('another worker continues a run whose lease expired, from where it stopped', async () => {
    await using workflows = await startWorkflows();
    const id = await workflows.deliver(await workflows.apply(simple), { isSilent: true });
    // A worker claims the run and is then lost.
    const claimant = { worker: 'dead', leaseMs: 300, limit: 1 };
    expect(await claimRuns(workflows.database, [[workflows.orgId, id]], claimant)).toHaveLength(1);
    await workflows.openWorker();
    await workflows.reached(id, 'succeeded');
    expect(await countAccounts(workflows)).toBe(1);
  });

  test('a lease is renewed for as long as the run takes', async () => {
    let respond: (() => void) | undefined;
    await using outside = await startOutside((response) => void (respond = () => response.end()));
    await using workflows = await startWorkflows();
    // The lease must be long enough for a machine that stalls for some seconds. Otherwise another worker would claim
    // the run.
    await Promise.all([1, 2].map(() => workflows.openWorker({ leaseMs: 12_000 })));
    const id = await workflows.deliver(await workflows.apply(calling), { inputs: { url: outside.url } });
    await until(() => expect(respond).toBeDefined(), foundWithinMs);
    const lease = statement<{ epoch: number; ends: number }>(
      'test.lease',
      `SELECT epoch, extract(epoch FROM due_at)::float8 AS ends FROM workflow_runs WHERE id = $1`,
    );
    const [before] = await workflows.database.query(lease, [id]);
    await until(async () => {
      const [now] = await workflows.database.query(lease, [id]);
      expect(now!.ends).toBeGreaterThan(before!.ends);
    });
    expect(await workflows.database.query(lease, [id])).toMatchObject([{ epoch: 1 }]);
    respond!();
    await workflows.reached(id, 'succeeded');
    expect(outside.received).toHaveLength(1);
  });

  test('a worker that has lost the lease writes nothing, so a step that is executed twice has its effect once', async () => {
    let respond: (() => void) | undefined;
    await using outside = await startOutside((response, _received, n) => {
      if (n === 1) respond = () => response.end();
      else response.end();
    });
    await using workflows = await startWorkflows();
    const first = await workflows.openWorker({ leaseMs: 600_000 });
    const id = await workflows.deliver(await workflows.apply(calling), { inputs: { url: outside.url } });
    await until(() => expect(respond).toBeDefined(), foundWithinMs);
    // The lease expires while the run waits, as if the worker had been frozen.
    const expire = statement<never>('test.expire', 'UPDATE workflow_runs SET due_at = now() WHERE id = $1');
    await workflows.database.query(expire, [id]);
    await workflows.openWorker();
    await workflows.reached(id, 'succeeded');
    respond!();
    await until(async () => expect(await first.metrics.metrics()).toMatch(/workflow_runs_total\{ending="lost".*\} 1/));
    expect(await countAccounts(workflows)).toBe(1);
  });
});

describe('a worker that stops', () => {
  test('a worker that stops releases the runs that it cannot finish, and another continues them', async () => {
    await using outside = await startOutside((response, _received, n) => void (n > 1 && response.end()));
    await using workflows = await startWorkflows();
    const leaving = await openWorker(workflows.url, { stopGraceMs: 100 });
    const id = await workflows.deliver(await workflows.apply(calling), { inputs: { url: outside.url } });
    await until(() => expect(outside.received).toHaveLength(1), foundWithinMs);
    await leaving[Symbol.asyncDispose]();
    expect(await workflows.runOf(id)).toMatchObject({ status: 'queued' });
    await workflows.openWorker();
    const run = await workflows.reached(id, 'succeeded');
    // The interrupted attempt is repeated with the same number.
    expect(run.steps[0]).toMatchObject({ path: 'call', attempts: 1 });
  });
});

test('a workflow with a limit never exceeds it across all workers', async () => {
  const open = new Set<() => void>();
  let most = 0;
  await using outside = await startOutside((response) => {
    open.add(() => response.end());
    most = Math.max(most, open.size);
  });
  await using workflows = await startWorkflows();
  await Promise.all([1, 2, 3].map(() => workflows.openWorker()));
  const id = await workflows.apply({ ...calling, name: 'limited', max_running: 2 });
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => workflows.deliver(id, { inputs: { url: outside.url } })),
  );
  const answerAll = setInterval(() => {
    // On a busy machine, the first run may end before the second is claimed.
    if (most < 2) return;
    for (const end of open) {
      open.delete(end);
      end();
    }
  }, 60);
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  clearInterval(answerAll);
  expect(most).toBe(2);
});

test('the metrics count claims by way, executions by outcome, and open runs', async () => {
  await using workflows = await startWorkflows();
  const worker = await workflows.openWorker();
  await workflows.reached(await workflows.deliver(await workflows.apply(simple)), 'succeeded');
  await until(async () => {
    const text = await worker.metrics.metrics();
    for (const line of [
      /^workflow_runs_total\{.*ending="succeeded".*\} 1$/m,
      /^workflow_claims_total\{.*way="(hinted|sweep)".*\} 1$/m,
      /^workflow_runs_open\{.*state="queued".*\} 0$/m,
      /^workflow_places\{.*kind="calls".*state="held".*\} 0$/m,
      /^workflow_step_duration_seconds_count\{.*use="account.create".*\} 1$/m,
      /^workflow_first_step_seconds_count\{.*\} 1$/m,
    ])
      expect(text).toMatch(line);
  });
});
