import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

const noop = { name: 'nothing', steps: [{ id: 'wait', use: 'delay', with: { for: '1h' } }] };

test('a worker reports the backlog of the whole service as it changes', async () => {
  await using workflows = await startWorkflows();
  const worker = await workflows.openWorker();
  const metric = async (name: string, state: string) => {
    const { values } = (await worker.metrics.getSingleMetric(name)!.get()) as {
      values: { value: number; labels: { state?: string } }[];
    };
    return values.find(({ labels }) => labels.state === state)?.value;
  };
  await until(async () => expect(await metric('workflow_queue_messages', 'waiting')).toBe(0));
  expect(await metric('workflow_oldest_due_run_seconds', 'queued')).toBe(0);
  expect(await metric('nats_storage_bytes', 'used')).toBeGreaterThanOrEqual(0);
  expect(await metric('nats_storage_bytes', 'limit')).toBeUndefined();
  await workflows.run(noop, { status: 'waiting' });
  await until(async () => expect(await metric('workflow_runs_open', 'waiting')).toBe(1));
  await workflows.database.query({ name: '', text: "UPDATE workflow_runs SET status = 'cancelled'" }, []);
  await until(async () => expect(await metric('workflow_runs_open', 'waiting')).toBe(0));
});
