import { until } from '@relata/testing';
import { claimRuns, listDueRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

const workflow = {
  name: 'simple',
  inputs: {},
  steps: [{ id: 'make', use: 'account.create', with: { set: { account_name: 'Once' } } }],
};

test('runs whose worker was lost are found behind any number of new ones, a few of each organization', async () => {
  await using workflows = await startWorkflows();
  const other = await workflows.another();
  const lostOf = async (of: Pick<typeof workflows, 'apply' | 'deliver' | 'orgId'>, count: number, leaseMs: number) => {
    const id = await of.apply(workflow);
    const names = [];
    for (let n = 0; n < count; n++) names.push([of.orgId, await of.deliver(id, { isSilent: true })] as const);
    await claimRuns(workflows.database, names, { worker: 'lost', leaseMs, limit: count });
    // New ones, which no worker has had.
    for (let n = 0; n < 20; n++) await of.deliver(id, { isSilent: true });
    return names;
  };
  const [many, one] = [await lostOf(workflows, 12, 1), await lostOf(other, 1, 1)];
  await lostOf(other, 3, 60_000);
  await until(async () => expect((await listDueRuns(workflows.database)).length).toBe(9));
  const due = await listDueRuns(workflows.database);
  expect(due).toEqual(expect.arrayContaining([...one]));
  expect(many).toEqual(expect.arrayContaining(due.filter(([orgId]) => orgId === workflows.orgId)));
});
