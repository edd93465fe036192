import { createApiKey, createOrganization } from '@relata/auth';
import { createTestDatabase, startTraceCollector, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAppProcess } from './app-process.harness.ts';

let db: TestDatabase;
let key: string;
beforeAll(async () => {
  db = await createTestDatabase();
  const { id } = await createOrganization(db.database, 'Acme');
  ({ key } = await createApiKey(db.database, id, {
    name: 'test',
    kind: 'secret',
    scopes: ['records:read', 'records:write'],
  }));
});
afterAll(() => db[Symbol.asyncDispose]());

const caller = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const traceparent = (flags: string) => `00-${caller.traceId}-${caller.spanId}-${flags}`;

/** Starts the API with these settings, sends the requests, and returns the exported spans. */
async function traced(settings: Record<string, string>, ask: (get: Get, post: Get) => Promise<unknown>) {
  await using collector = await startTraceCollector();
  const api = await startAppProcess('records-api', db.url, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings });
  const request =
    (method: string): Get =>
    async (path, headers = {}, body) => {
      const response = await fetch(`${api.url}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      await response.text();
      return response.status;
    };
  await ask(request('GET'), request('POST'));
  expect(await api.stop()).toBe(0);
  return collector.spans.toSorted((a, b) => a.startMs - b.startMs);
}

type Get = (path: string, headers?: Record<string, string>, body?: object) => Promise<number>;

test('with TRACEPARENT_IN=continue, the trace of a caller continues, and is sampled if the caller samples it', async () => {
  const spans = await traced({ TRACEPARENT_IN: 'continue' }, async (get) => {
    await get('/v1/records/contacts', { traceparent: traceparent('01') });
    await get('/v1/records/accounts', { traceparent: traceparent('00') });
    await get('/v1/records/opportunities', { traceparent: 'nonsense' });
  });
  const requests = spans.filter(({ kind }) => kind === 2).map(({ name, ...span }) => [name, span.parentSpanId]);
  expect(requests).toEqual([
    ['GET /v1/records/contacts', caller.spanId],
    ['GET /v1/records/opportunities', ''],
  ]);
});

test('spans that the sampler drops are not exported, whatever the caller sends', async () => {
  const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  const spans = await traced(sampler, (get) => get('/v1/records/contacts', { traceparent: traceparent('01') }));
  expect(spans).toEqual([]);
});

test('a span has the route and the ids instead of the path; health checks have no span', async () => {
  const id = crypto.randomUUID();
  const spans = await traced({}, async (get) => {
    await get(`/v1/records/contacts/${id}?email=someone`);
    await get('/v1/records/contacts/someone');
    await get('/someone/else');
    await get('/health/ready');
  });
  const requests = spans.filter(({ kind }) => kind === 2);
  expect(requests.map(({ name, attributes }) => [name, attributes['url.path']])).toEqual([
    ['GET /v1/records/contacts/:id', `/v1/records/contacts/${id}`],
    ['GET /v1/records/contacts/:id', '/v1/records/contacts/:id'],
    ['GET', undefined],
  ]);
  expect(JSON.stringify(spans)).not.toContain('someone');
});

test('writes that share a commit are linked with the span of their batch, which is a child of one write', async () => {
  const spans = await traced({}, (_get, post) =>
    Promise.all(
      Array.from({ length: 40 }, (_, i) => post('/v1/records/contacts', {}, { first_name: 'A', last_name: `B${i}` })),
    ),
  );
  const requests = new Map(spans.filter(({ kind }) => kind === 2).map((span) => [span.spanId, span]));
  const batch = spans.find(({ name }) => name === 'batch');
  expect([...requests.values()].map(({ attributes }) => attributes['http.response.status_code'])).toEqual(
    Array.from({ length: 40 }, () => 201),
  );
  const members = [batch!.parentSpanId, ...batch!.links.map(({ spanId }) => spanId)].map((id) => requests.get(id)!);
  expect(members).toHaveLength(batch!.attributes['relata.batch.size'] as number);
  for (const member of members.slice(1))
    expect(member.links).toContainEqual({ traceId: batch!.traceId, spanId: batch!.spanId });
  expect(spans.filter(({ parentSpanId }) => parentSpanId === batch!.spanId).map(({ kind }) => kind)).toContain(3);
});
