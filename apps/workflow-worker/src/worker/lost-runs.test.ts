import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { claimRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

const create = { id: 'account', use: 'account.create', with: { set: { account_name: 'Once' } } };
const items = Array.from({ length: 60 }, (_, at) => at);
const slow = {
  name: 'slow',
  inputs: {},
  steps: [{ id: 'each', use: 'for_each', with: { items }, steps: [create] }],
};

const counted = statement<{ queued: number }>(
  'test.counts',
  `SELECT count(*)::integer AS queued FROM workflow_runs WHERE status = 'queued'`,
);
const epochOf = statement<{ epoch: number }>('test.epoch', 'SELECT epoch FROM workflow_runs WHERE id = $1');

test('a run whose worker was lost goes on although new runs take every place that becomes free', async () => {
  await using workflows = await startWorkflows();
  const id = await workflows.apply(slow);
  const lost = await workflows.deliver(id, { isSilent: true });
  const claimant = { worker: 'lost', leaseMs: 1, limit: 1 };
  expect(await claimRuns(workflows.database, [[workflows.orgId, lost]], claimant)).toHaveLength(1);
  const deliver = (count: number) => Promise.all(Array.from({ length: count }, () => workflows.deliver(id)));
  await deliver(60);
  await workflows.openWorker({ concurrency: 4 });
  let isOver = false;
  const delivering = (async () => {
    while (!isOver) {
      const [{ queued } = { queued: 0 }] = await workflows.database.query(counted, []);
      if (queued < 40) await deliver(8);
    }
  })();
  try {
    await until(async () => {
      const [run] = await workflows.database.query(epochOf, [lost]);
      expect(run!.epoch).toBeGreaterThan(1);
    });
  } finally {
    isOver = true;
    await delivering;
  }
});
