import { createTestDatabase, startTraceCollector, type TestDatabase, until } from '@relata/testing';
import { freePorts } from '@relata/embedded';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAppProcess } from './app-process.harness.ts';
import { createTracedWorkflow } from './traced-workflow.harness.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** Starts a receiver that exports traces to this endpoint, posts `count` deliveries to it, and returns the receiver. */
async function deliverBeside(endpoint: string, count: number) {
  const workflow = await createTracedWorkflow(db.database, 'http://127.0.0.1:1');
  const receiver = await startAppProcess('webhook-ingest', db.url, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    STOP_TIMEOUT_MS: '8000',
  });
  for (let i = 0; i < count; i++) await workflow.deliver(receiver.url);
  return receiver;
}

test('an unreachable collector delays nothing, and is logged once', async () => {
  const [port] = await freePorts(1);
  const receiver = await deliverBeside(`http://127.0.0.1:${port}`, 20);
  const lines = () => receiver.log().filter(({ msg }) => msg === 'traces could not be exported');
  await until(() => expect(lines()).toMatchObject([{ level: 'warn', reason: 'ECONNREFUSED' }]));
  expect(await receiver.stop()).toBe(0);
  expect(lines()).toHaveLength(1);
});

test('a collector that does not respond delays nothing, not even the stop', async () => {
  await using collector = await startTraceCollector();
  collector.isSilent = true;
  const receiver = await deliverBeside(collector.url, 20);
  await until(() => expect(collector.posts.length).toBeGreaterThan(0));
  expect(await receiver.stop()).toBe(0);
  expect(receiver.output()).not.toContain('did not stop in time');
});
