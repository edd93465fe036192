import { createTestDatabase, startTraceCollector, type TestDatabase } from '@relata/testing';
import { statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appNames, entryOf } from '../services.ts';
import { startAppProcess } from './app-process.harness.ts';
import { startCalled } from './called.harness.ts';
import { createTracedWorkflow } from './traced-workflow.harness.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** Environment that lists the modules of an app, which runs from its sources: there each module is a file. */
const listing = { NODE_OPTIONS: `--import=${new URL('./loaded-preload.ts', import.meta.url).href}` };
const runs = statement<{ traceparent: string | null }>('test.traces', 'SELECT traceparent FROM workflow_runs');

test.each(appNames)('without an endpoint %s loads nothing of the SDK', async (name) => {
  const app = await startAppProcess(name, db.url, { ...listing, OTEL_TRACES_SAMPLER: 'always_on' }, entryOf(name));
  await (await fetch(app.url)).text();
  expect(await app.stop()).toBe(0);
  expect(app.output()).toContain('"stopped"');
  expect(app.output()).not.toContain('loaded ');
});

test('with one it does', async () => {
  await using collector = await startTraceCollector();
  const settings = { ...listing, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const app = await startAppProcess('records-api', db.url, settings, entryOf('records-api'));
  expect(await app.stop()).toBe(0);
  expect(app.output()).toMatch(/^loaded .*sdk-trace/m);
});

test('without an endpoint nothing is sent, written or logged of traces', async () => {
  await using called = await startCalled(0);
  const workflow = await createTracedWorkflow(db.database, called.url);
  await using worker = await startAppProcess('workflow-worker', db.url, { OUTBOUND_ALLOW: '127.0.0.1/32' });
  await using receiver = await startAppProcess('webhook-ingest', db.url);
  await workflow.deliver(receiver.url, { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` });
  await workflow.succeeded(1);
  expect(called.calls.map(({ traceparent }) => traceparent)).toEqual([undefined]);
  expect(await db.database.query(runs, [])).toEqual([{ traceparent: null }]);
  await Promise.all([receiver.stop(), worker.stop()]);
  expect(receiver.output()).toContain('receiveDelivery');
  expect(receiver.output() + worker.output()).not.toContain('trace_id');
});
