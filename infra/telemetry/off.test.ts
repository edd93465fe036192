import { createTestDatabase, startTraceCollector, type TestDatabase, until } from '@relata/testing';
import { statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, startAppProcess } from './app-process.harness.ts';
import { startCalled } from '@relata/testbed/called';
import { createTracedWorkflow } from './traced-workflow.harness.ts';

const stack = new AsyncDisposableStack();
let db: TestDatabase;
let called: Awaited<ReturnType<typeof startCalled>>;
let worker: AppProcess;
let receiver: AppProcess;

/** Environment variables that make an app print the loaded files with code of the SDK. */
const listing = { NODE_OPTIONS: `--import=${new URL('./loaded-preload.ts', import.meta.url).href}` };
const away = { ...listing, OTEL_TRACES_SAMPLER: 'always_on' };
const ofWorker = { OUTBOUND_ALLOW: '127.0.0.1/32' };
const traceOf = statement<{ traceparent: string | null }>(
  'test.trace',
  'SELECT traceparent FROM workflow_runs WHERE id = $1',
);

beforeAll(async () => {
  db = stack.use(await createTestDatabase());
  called = stack.use(await startCalled(0));
  worker = stack.use(await startAppProcess('workflow-worker', db.url, { ...away, ...ofWorker }));
  receiver = stack.use(await startAppProcess('webhook-ingest', db.url, away));
});
afterAll(() => stack.disposeAsync());

const [callerTrace, callerSpan] = ['ab'.repeat(16), 'cd'.repeat(8)];
const caller = `00-${callerTrace}-${callerSpan}-01`;

/**
 * Posts a delivery with these headers to a receiver. Returns the log line, the stored trace and the sent trace headers.
 */
async function deliver(to: AppProcess, headers: Record<string, string>) {
  const lines = () => to.log().filter(({ operation }) => operation === 'receiveDelivery');
  const [linesBefore, callsBefore] = [lines().length, called.calls.length];
  const workflow = await createTracedWorkflow(db.database, called.url);
  await workflow.deliver(to.url, headers);
  const [run] = await workflow.succeeded(1);
  await until(() => expect(lines()).toHaveLength(linesBefore + 1));
  const [row] = await db.database.query(traceOf, [run!.id]);
  const sent = called.calls.slice(callsBefore).map(({ traceparent }) => traceparent);
  return { line: lines().at(-1), stored: row!.traceparent, sent };
}

test('without an endpoint, the log line and the run of a request have the caller’s trace id (found D6)', async () => {
  const { line, stored, sent } = await deliver(receiver, { traceparent: caller });
  expect(line).toMatchObject({ level: 'info', trace_id: callerTrace });
  expect(line).not.toHaveProperty('span_id');
  // A stranger must not decide whether other systems record their calls.
  expect(stored).toMatch(new RegExp(`^00-${callerTrace}-[0-9a-f]{16}-00$`));
  expect(sent).toEqual([undefined]);
});

test('without an endpoint and without a caller’s trace, the trace id is the request id (found D6)', async () => {
  const { line, stored } = await deliver(receiver, {});
  expect(line!['trace_id']).toBe(String(line!['request_id']).replaceAll('-', ''));
  expect(stored).toContain(line!['trace_id']);
});

test('without an endpoint, neither a receiver nor a worker loads the SDK, whatever the sampler is', async () => {
  expect(await worker.stop()).toBe(0);
  expect(worker.output()).toContain('"stopped"');
  for (const { output } of [worker, receiver]) expect(output()).not.toContain('loaded ');
});

test('without an endpoint, a trusted caller’s trace continues in the calls of its runs (found D6)', async () => {
  const settings = { ...ofWorker, TRACEPARENT_IN: 'continue' };
  await using _worker = await startAppProcess('workflow-worker', db.url, settings);
  await using trusting = await startAppProcess('webhook-ingest', db.url, settings);
  const { stored, sent } = await deliver(trusting, { traceparent: caller });
  expect(stored).toMatch(new RegExp(`^00-${callerTrace}-[0-9a-f]{16}-01$`));
  expect(sent).toEqual([stored]);
});

test('a worker with an endpoint records runs of a receiver without one, whatever a stranger sends', async () => {
  await using collector = await startTraceCollector();
  const settings = { ...listing, ...ofWorker, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await using traced = await startAppProcess('workflow-worker', db.url, settings);
  const { stored } = await deliver(receiver, { traceparent: caller });
  await traced.stop();
  expect(traced.output()).toMatch(/^loaded .*\/open-tracing-/m);
  const executions = collector.spans.filter(({ name }) => name === 'execute run');
  expect(executions.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toContainEqual([callerTrace, '']);
  expect(executions.every(({ parentSpanId }) => parentSpanId === '')).toBe(true);
  expect(stored).toMatch(/-00$/);
});
