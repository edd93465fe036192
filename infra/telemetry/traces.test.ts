import { createTestDatabase, type ExportedSpan, startTraceCollector } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { startAppProcess } from './app-process.harness.ts';
import { startCalled } from '@relata/testbed/called';
import { createTracedWorkflow, marker } from './traced-workflow.harness.ts';

const stranger = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };

/** Traces a delivery through a receiver and a worker, from the post to the end of both processes. */
async function traceDelivery() {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(await createTestDatabase());
  const [collector, called] = [stack.use(await startTraceCollector()), stack.use(await startCalled())];
  const workflow = await createTracedWorkflow(db.database, called.url);
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OUTBOUND_ALLOW: '127.0.0.1/32',
  };
  const worker = await startAppProcess('workflow-worker', db.url, settings);
  const receiver = await startAppProcess('webhook-ingest', db.url, settings);
  await workflow.deliver(receiver.url, { traceparent: `00-${stranger.traceId}-${stranger.spanId}-01` });
  const [run] = await workflow.succeeded(1);
  const codes = [await receiver.stop(), await worker.stop()];
  const { spans, bytes, posts } = collector;
  return { orgId: workflow.orgId, run: run!, codes, spans, bytes, posts, calls: called.calls, receiver, worker };
}

let traced: Awaited<ReturnType<typeof traceDelivery>>;
beforeAll(async () => void (traced = await traceDelivery()), 120_000);

const named = (name: string) => traced.spans.filter((span) => span.name === name);
const one = (name: string): ExportedSpan => {
  const found = named(name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
};
const request = () => one('POST /webhooks/trigger/:triggerId');
const executions = () => named('execute run').toSorted((a, b) => a.startMs - b.startMs);

test('the remaining spans are exported before a process ends, in the binary format', () => {
  expect(traced.codes).toEqual([0, 0]);
  expect(new Set(traced.posts)).toEqual(new Set(['POST /v1/traces application/x-protobuf']));
});

test('a delivery, its runs and their steps are one trace across processes, over retries and timers', () => {
  const delivery = one('store delivery');
  expect(delivery).toMatchObject({ service: 'webhook-ingest', traceId: request().traceId });
  expect(delivery.parentSpanId).toBe(request().spanId);
  // One execution has the first attempt at the call, the next one the second attempt, and the last one the rest.
  expect(executions()).toHaveLength(3);
  for (const execution of executions())
    expect(execution).toMatchObject({
      service: 'workflow-worker',
      traceId: request().traceId,
      parentSpanId: delivery.spanId,
      attributes: { 'relata.run.id': traced.run.id, 'relata.delivery.id': traced.run.delivery_id },
    });
  const steps = traced.spans.filter(({ name }) => name.startsWith('step '));
  const ids = executions().map(({ spanId }) => spanId);
  expect(
    steps
      .toSorted((a, b) => a.startMs - b.startMs)
      .map((step) => [step.name, step.attributes['relata.step.path'], ids.indexOf(step.parentSpanId)]),
  ).toEqual([
    ['step activity.create', 'note', 0],
    ['step http.request', 'call', 0],
    ['step http.request', 'call', 1],
    ['step delay', 'rest', 1],
    ['step activity.create', 'done', 2],
  ]);
});

test('an execution is linked with the previous execution of its run', () => {
  const [first, second, third] = executions();
  expect(first!.links).toEqual([]);
  expect(second!.links).toEqual([{ traceId: first!.traceId, spanId: first!.spanId }]);
  expect(third!.links).toEqual([{ traceId: second!.traceId, spanId: second!.spanId }]);
  expect(executions().map(({ attributes }) => attributes['relata.run.ending'])).toEqual([
    'waiting',
    'waiting',
    'succeeded',
  ]);
});

test('the traceparent of a stranger is not continued, but becomes a link', () => {
  expect(request()).toMatchObject({ parentSpanId: '', links: [stranger] });
  expect(request().traceId).not.toBe(stranger.traceId);
});

test('a called system gets the trace context, with the span of each attempt', () => {
  const sent = named('POST').toSorted((a, b) => a.startMs - b.startMs);
  expect(traced.calls.map(({ traceparent }) => traceparent)).toEqual(
    sent.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
  expect(sent.map(({ traceId }) => traceId)).toEqual([request().traceId, request().traceId]);
  const [refused, answered] = sent.map(({ attributes, isError }) => ({ attributes, isError }));
  expect(refused).toMatchObject({
    isError: true,
    attributes: { 'http.response.status_code': 503, 'error.type': '503' },
  });
  expect(answered).toMatchObject({
    isError: false,
    attributes: { 'http.request.method': 'POST', 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  });
});

test('the notification of workers is part of the trace on both sides', () => {
  const [sent, received] = [one('send runs.ready'), one('receive runs.ready')];
  expect([sent.service, received.service]).toEqual(['webhook-ingest', 'workflow-worker']);
  expect(received).toMatchObject({ traceId: request().traceId, parentSpanId: sent.spanId });
  expect(received.attributes).toMatchObject({ 'messaging.system': 'nats', 'messaging.destination.name': 'runs.ready' });
});

test('the span of a statement has only the name of the statement', () => {
  const statements = traced.spans.filter(({ attributes }) => 'db.system.name' in attributes);
  const names = new Set(statements.map(({ name }) => name));
  expect(names).toContain('webhook_deliveries.store');
  expect(names).toContain('COMMIT');
  for (const { name, attributes } of statements)
    expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.operation.name': name });
  expect(statements.map(({ traceId }) => traceId)).toEqual(statements.map(() => request().traceId));
});

test('the span of a request has its route, its status and its organization', () => {
  expect(request().attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/webhooks/trigger/:triggerId',
    'url.path': `/webhooks/trigger/${traced.run.trigger_id}`,
    'http.response.status_code': 202,
    'relata.operation': 'receiveDelivery',
    'relata.org_id': traced.orgId,
  });
  expect(request().resource).toMatchObject({
    'service.name': 'webhook-ingest',
    'service.namespace': 'relata',
    'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    'deployment.environment.name': 'test',
  });
});

test('exported data contains no name, key, body, header, path, query or value of a customer', () => {
  const exported = Buffer.concat(traced.bytes).toString('latin1');
  expect(exported).toContain(traced.orgId);
  expect(exported).not.toContain(marker);
  expect(exported).not.toMatch(/relata_whs|example\.com/);
});

test('log lines have the ids of the trace and the span', () => {
  const line = traced.receiver.log().find(({ operation }) => operation === 'receiveDelivery');
  expect(line).toMatchObject({ trace_id: request().traceId, span_id: request().spanId, trace_flags: '01' });
});
