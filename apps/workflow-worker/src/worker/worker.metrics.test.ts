import type { Database } from '@relata/db';
import { outboundAllowSetting } from '@relata/outbound';
import { createTestDatabase, openTestProcess, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startWorker } from '../app.ts';

test('a sweep that the database does not answer is not counted, but the next sweep is', async () => {
  await using opened = await createTestDatabase();
  const process = await openTestProcess('workflow-worker', opened.url, {
    prefix: new URL(opened.url).pathname.slice(1),
  });
  await using stack = process.stack;
  let failures = 0;
  const query: Database['query'] = async (prepared, values) => {
    if (prepared.name === 'workflow_runs.claim_overdue' && failures++ === 0) throw new Error('broken');
    return process.database.query(prepared, values);
  };
  const none = { channel: undefined, secretKeys: undefined, notifyKeys: undefined, consoleUrl: undefined };
  const given = { concurrency: 1, leaseMs: 30_000, stopGraceMs: 1_000, ...none };
  const outboundAllow = outboundAllowSetting.parse('127.0.0.1/32');
  startWorker({ ...process, ...given, stack, outboundAllow, database: { ...process.database, query } });
  const sweptAt = async () => {
    const { values } = await process.metrics.getSingleMetric('workflow_last_sweep_timestamp_seconds')!.get();
    return values[0]!.value;
  };
  await until(() => expect(failures).toBe(1));
  expect(await sweptAt()).toBe(0);
  await until(async () => expect(await sweptAt()).toBeCloseTo(Date.now() / 1_000, -1));
  // If the counter were missing until a run fails, an alert would not see the first failure.
  expect(await process.metrics.metrics()).toMatch(/^workflow_runs_total\{ending="failed".*\} 0$/m);
});
