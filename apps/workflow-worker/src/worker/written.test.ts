import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

test('notifies readers of events after runs have written events', async () => {
  await using workflows = await startWorkflows();
  const written = new Set<string>();
  workflows.onWritten((orgIds) => orgIds.forEach((orgId) => written.add(orgId)));
  await workflows.openWorker();
  const id = await workflows.apply({
    name: 'writes',
    inputs: {},
    steps: [{ id: 'make', use: 'account.create', with: { set: { account_name: 'Once' } } }],
  });
  await workflows.reached(await workflows.deliver(id), 'succeeded');
  await until(() => expect([...written]).toEqual([workflows.orgId]));
});
