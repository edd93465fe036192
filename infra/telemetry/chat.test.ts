import { createApiKey, createOrganization } from '@relata/auth';
import { createTestDatabase, startModelServer, startTraceCollector } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { startAppProcess } from './app-process.harness.ts';
import { marker } from './traced-workflow.harness.ts';

/** Traces two answers: one by the model, and one after a failure of the model. */
async function traceAnswers() {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(await createTestDatabase());
  const collector = stack.use(await startTraceCollector());
  const model = stack.use(await startModelServer({ steps: [{ say: `${marker} answered.` }] }));
  const { id: orgId } = await createOrganization(db.database, marker);
  const { key } = await createApiKey(db.database, orgId, { name: marker, kind: 'secret', scopes: ['chat'] });
  const gateway = await startAppProcess('chat-gateway', db.url, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OPENAI_API_KEY: `sk-${marker}`,
    OPENAI_BASE_URL: model.url,
    CHAT_MODEL: 'a-model',
  });
  const ask = async () => {
    const answer = await fetch(`${gateway.url}/v1/genie/chat`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'chat-1',
        trigger: 'submit-message',
        messages: [{ id: 'm0', role: 'user', parts: [{ type: 'text', text: `What is ${marker}?` }] }],
      }),
    });
    await answer.text();
    return answer.status;
  };
  const statuses = [await ask()];
  model.script = { status: 500 };
  statuses.push(await ask());
  await gateway.stop();
  const { spans, bytes } = collector;
  return { statuses, spans, exported: Buffer.concat(bytes).toString('latin1'), requests: model.requests, orgId };
}

let traced: Awaited<ReturnType<typeof traceAnswers>>;
beforeAll(async () => void (traced = await traceAnswers()));

const calls = () =>
  traced.spans.filter(({ name }) => name === 'chat a-model').toSorted((a, b) => a.startMs - b.startMs);

test('a call to the model is a child span of its request, and has the numbers of tokens', () => {
  const requests = traced.spans.filter(({ attributes }) => attributes['http.route'] === '/v1/genie/chat');
  expect(traced.statuses).toEqual([200, 200]);
  expect(requests.map(({ attributes }) => attributes['relata.org_id'])).toEqual([traced.orgId, traced.orgId]);
  const [first] = calls();
  expect(requests.map(({ spanId }) => spanId)).toContain(first!.parentSpanId);
  expect(first!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'a-model',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'server.address': '127.0.0.1',
  });
});

test('the server of the model gets the trace context', () => {
  const spans = calls().map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  expect(spans).toContain(traced.requests[0]!.headers['traceparent']);
});

test('if the model fails, the span of the call is an error, but the span of the request is not', () => {
  expect(calls().map(({ isError, attributes }) => [isError, attributes['error.type']])).toEqual([
    [false, undefined],
    [true, '500'],
  ]);
  expect(traced.spans.filter(({ kind, isError }) => kind === 2 && isError)).toEqual([]);
});

test('exported data contains neither questions nor answers nor keys', () => {
  expect(traced.exported).toContain('gen_ai');
  expect(traced.exported).not.toContain(marker);
});
