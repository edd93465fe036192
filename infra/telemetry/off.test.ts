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
const traceOf = statement<{ traceparent: string | null }>(
  'test.trace',
  'SELECT traceparent FROM workflow_runs WHERE id = $1',
);

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

const [callerTrace, callerSpan] = ['ab'.repeat(16), 'cd'.repeat(8)];
const caller = `00-${callerTrace}-${callerSpan}-01`;

/** Delivers a post with the header to a receiver, and returns everything that shows the trace. */
async function deliver(
  headers: Record<string, string>,
  settings: Record<string, string> = {},
  ofWorker: Record<string, string> = {},
) {
  await using called = await startCalled(0);
  const workflow = await createTracedWorkflow(db.database, called.url);
  const allowed = { OUTBOUND_ALLOW: '127.0.0.1/32', ...settings, ...ofWorker };
  await using worker = await startAppProcess('workflow-worker', db.url, allowed);
  await using receiver = await startAppProcess('webhook-ingest', db.url, settings);
  await workflow.deliver(receiver.url, headers);
  const [run] = await workflow.succeeded(1);
  await Promise.all([receiver.stop(), worker.stop()]);
  const [row] = await db.database.query(traceOf, [run!.id]);
  const line = receiver.log().find(({ operation }) => operation === 'receiveDelivery');
  return { line, stored: row!.traceparent, sent: called.calls.map(({ traceparent }) => traceparent) };
}

test('without an endpoint the log line of a request and its run have the trace id of the caller (found D6)', async () => {
  const { line, stored, sent } = await deliver({ traceparent: caller });
  expect(line).toMatchObject({ level: 'info', trace_id: callerTrace });
  expect(line).not.toHaveProperty('span_id');
  // A stranger does not decide that other systems record their calls.
  expect(stored).toMatch(new RegExp(`^00-${callerTrace}-[0-9a-f]{16}-00$`));
  expect(sent).toEqual([undefined]);
});

test('without an endpoint and without a caller’s trace a request has one by its own id (found D6)', async () => {
  const { line, stored } = await deliver({});
  expect(line!['trace_id']).toBe(String(line!['request_id']).replaceAll('-', ''));
  expect(stored).toContain(line!['trace_id']);
});

test('without an endpoint a trusted caller’s trace goes on in the calls of its runs (found D6)', async () => {
  const { stored, sent } = await deliver({ traceparent: caller }, { TRACEPARENT_IN: 'continue' });
  expect(stored).toMatch(new RegExp(`^00-${callerTrace}-[0-9a-f]{16}-01$`));
  expect(sent).toEqual([stored]);
});

test('a worker with an endpoint records runs of a receiver without one, and no stranger decides about it', async () => {
  await using collector = await startTraceCollector();
  const ofWorker = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { stored } = await deliver({ traceparent: caller }, {}, ofWorker);
  const executions = collector.spans.filter(({ name }) => name === 'execute run');
  expect(executions.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toContainEqual([callerTrace, '']);
  expect(executions.every(({ parentSpanId }) => parentSpanId === '')).toBe(true);
  expect(stored).toMatch(/-00$/);
});
