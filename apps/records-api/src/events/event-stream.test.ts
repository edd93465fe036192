import { once } from 'node:events';
import { connect } from 'node:net';
import { createApiKey, createOrganization, revokeKey } from '@relata/auth';
import { busOn, operatorActor } from '@relata/events';
import { apiClient, openTestProcess, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { openEventStream, type StreamRequest } from './event-stream.harness.ts';

let api: TestApi;
const reading = { name: 'test', kind: 'secret', scopes: ['events:read'] } as const;
/** An id that belongs to no event and is newer than all events. */
const unknownId = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const get = async (query: string) => (await api.tenant.client('GET', `/v1/events?${query}`)).body;
const latest = async () => (await get('after=latest')).next_cursor as string;
const post = async (name: string, client = api.tenant.client): Promise<string> =>
  (await client('POST', '/v1/records/accounts', { body: { account_name: name } })).body.data.id;
const open = (request: Partial<StreamRequest> = {}, url = api.url) =>
  openEventStream(url, { key: api.tenant.key, ...request });

test('a stream shows existing and new events like the feed, with the cursor as id', async () => {
  const before = await latest();
  await post('There');
  await using stream = await open({ query: `after=${before}` });
  await stream.received(1);
  const id = await post('Comes');
  await api.tenant.client('PATCH', `/v1/records/accounts/${id}`, { body: { city: 'Zug\nBaar\u2028\r\n:x' } });
  await stream.received(3);
  const { data } = await get(`after=${before}`);
  const { events, lastEventId, retryMs } = stream.parser;
  expect(events.map((event) => JSON.parse(event.data))).toEqual(data);
  expect(events.map(({ type, lastEventId: at }) => [type, at])).toEqual(
    data.map(({ type, id: at }: { type: string; id: string }) => [type, at]),
  );
  expect([lastEventId, retryMs]).toEqual([data[2].id, 1_000]);
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'private, no-store',
    'x-accel-buffering': 'no',
    vary: 'X-Api-Key, Authorization, Accept',
    'x-request-id': expect.any(String),
  });
});

test('B3.7: a client that is repeatedly cut off resumes with Last-Event-ID, without loss or repetition', async () => {
  const start = await latest();
  const writing = (async () => {
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) ids.push(await post(`Resumed ${i}`));
    return ids;
  })();
  const seen: string[] = [];
  for (let lastEventId = start; seen.length < 60;) {
    // The header takes precedence over `after`, which would start from the beginning.
    const stream = await open({ query: 'after=start', lastEventId });
    await stream.received(Math.min(1 + (seen.length % 7), 60 - seen.length));
    await stream.close();
    seen.push(...stream.parser.events.map(({ data }) => JSON.parse(data).record_id));
    lastEventId = stream.parser.lastEventId;
  }
  expect(seen).toEqual(await writing);
});

test('the cursor moves past events that do not match, without an event for the client', async () => {
  const start = await latest();
  for (const query of ['type=contact.*', `record_id=${api.tenant.ids.contact}`, 'actor_id=nobody']) {
    await using stream = await open({ query: `${query}&after=${start}` });
    await post('Passed over');
    const now = await latest();
    await until(() => expect(stream.parser.lastEventId).toBe(now));
    expect(stream.parser.events).toEqual([]);
  }
});

test('a stream with a filter has only matching events', async () => {
  await using stream = await open({ query: 'after=latest&type=contact.updated&changed=title' });
  const path = `/v1/records/contacts/${api.tenant.ids.contact}`;
  await post('Other');
  for (const body of [{ title: 'A' }, { phone: '1' }, { title: 'B' }]) await api.tenant.client('PATCH', path, { body });
  await stream.received(2);
  expect(stream.parser.events.map(({ data }) => JSON.parse(data).record.title)).toEqual(['A', 'B']);
});

test('an empty feed can be followed as a stream, also from `latest`', async () => {
  const { database } = api.db;
  const { id } = await createOrganization(database, 'Empty');
  const { key } = await createApiKey(database, id, reading);
  for (const query of ['', 'after=latest']) {
    await using stream = await open({ key, query });
    await until(() => expect(stream.parser.lastEventId).toBe('start'));
  }
});

test('a stream sends comments, and ends after its time', async () => {
  await using replica = await api.startReplica({ eventStreams: { lastsMs: 700, commentEveryMs: 50 } });
  // Tries again, since on a stalled machine a stream may end before it has sent anything.
  await until(async () => {
    await using stream = await open({ query: 'after=latest' }, replica.url);
    expect(await stream.end()).toBe('cleanly');
    expect(stream.parser.comments).toBeGreaterThan(3);
  });
});

test('a replica that stops ends its streams and its waiting readers cleanly and at once', async () => {
  const replica = await api.startReplica();
  await using stream = await open({ query: 'after=latest' }, replica.url);
  const waiting = apiClient(replica.url, api.tenant.key)('GET', '/v1/events?after=latest&wait=30');
  await until(() => expect(stream.parser.lastEventId).not.toBe(''));
  const startedAt = performance.now();
  await replica[Symbol.asyncDispose]();
  // The reader itself waits for 30 s.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect([await stream.end(), (await waiting).status]).toEqual(['cleanly', 200]);
});

test('a stream ends soon after its key was revoked', async () => {
  await using replica = await api.startReplica({ eventStreams: { commentEveryMs: 100 } });
  const { id, key } = await createApiKey(api.db.database, api.tenant.orgId, reading);
  await using stream = await open({ key, query: 'after=latest' }, replica.url);
  const { stack, messaging } = await openTestProcess('test', api.db.url);
  await using _process = stack;
  const context = { database: api.db.database, bus: busOn(messaging) };
  await revokeKey(context, operatorActor(api.tenant.orgId, 'test'), id);
  expect(await stream.end()).toBe('cleanly');
});

test('a sixth stream of a key is refused until the reader of another one leaves', async () => {
  const key = await api.keyWith(['events:read']);
  const streams = await Promise.all(Array.from({ length: 5 }, () => open({ key })));
  const sixth = await open({ key });
  expect([sixth.status, sixth.body!['error'], sixth.headers.get('retry-after')]).toEqual([429, 'rate_limited', '10']);
  const otherKey = await open({ key: await api.keyWith(['events:read']) });
  expect(otherKey.status).toBe(200);
  await otherKey.close();
  await streams[0]!.close();
  const next = await until(async () => {
    const stream = await open({ key });
    expect(stream.status).toBe(200);
    return stream;
  });
  for (const stream of [...streams, next]) await stream.close();
});

test('a refused stream takes no slot', async () => {
  const key = await api.keyWith(['events:read']);
  for (let i = 0; i < 12; i++) expect((await open({ key, query: `after=${unknownId}` })).status).toBe(400);
  for (let i = 0; i < 12; i++) expect((await fetchHead(key)).status).toBe(200);
});

const fetchHead = (key: string) =>
  fetch(`${api.url}/v1/events`, { method: 'HEAD', headers: { 'X-Api-Key': key, Accept: 'text/event-stream' } });

test.each([
  ['limit=10', 'query', 'limit', 'conflicting_parameters'],
  ['%6cimit=100', 'query', 'limit', 'conflicting_parameters'],
  ['wait=0', 'query', 'wait', 'conflicting_parameters'],
  ['order=desc', 'query', 'order', 'conflicting_parameters'],
  ['after=nonsense', 'query', 'after', 'invalid_cursor'],
  [`after=${unknownId}`, 'query', 'after', 'invalid_cursor'],
  ['nonsense=1', 'query', 'nonsense', 'unknown_field'],
])('?%s is refused on a stream with an ordinary error', async (query, where, field, code) => {
  const { status, body } = await open({ query });
  expect([status, body!['details']]).toEqual([400, [expect.objectContaining({ in: where, field, code })]]);
});

test.each([
  ['that is not an id', 'nonsense'],
  ['of no event', unknownId],
  ['of 8,000 characters', 'a'.repeat(8_000)],
  ['with SQL', "' OR 1=1 --"],
  ['in Latin-1', 'ÿ'],
  ['given twice', `${unknownId}, ${unknownId}`],
  ['in capitals', 'START'],
])('refuses a Last-Event-ID %s', async (_what, lastEventId) => {
  const { status, body } = await open({ lastEventId });
  const detail = { in: 'header', field: 'Last-Event-ID', code: 'invalid_cursor' };
  expect([status, body!['details']]).toEqual([400, [expect.objectContaining(detail)]]);
  expect(JSON.stringify(body)).not.toContain(lastEventId);
});

test('a cursor older than the stored events is answered with 410 before a stream begins; the oldest cursor in the error can be used instead', async () => {
  const expired = await open({ lastEventId: '00000000-0000-7000-8000-000000000000' });
  expect([expired.status, expired.body]).toEqual([410, expect.objectContaining({ oldest_cursor: 'start' })]);
  await using stream = await open({ lastEventId: expired.body!['oldest_cursor'] as string });
  await stream.received(1);
  expect(JSON.parse(stream.parser.events[0]!.data)).toEqual((await get('limit=1')).data[0]);
});

test('answers JSON if a stream is not preferred', async () => {
  for (const accept of ['*/*', 'application/json, text/event-stream', 'text/event-stream;q=0', '\u00ff;;,q'])
    expect((await open({ accept })).headers.get('content-type')).toBe('application/json');
});

test("B3.4: a stream of one organization continues while an open transaction of another delays that organization's events", async () => {
  const own = await open({ query: 'after=latest' });
  const other = await open({ key: api.other.key, query: 'after=latest' });
  const text = 'SELECT next_event($1) AS n';
  await api.db.database.transaction(async (db) => {
    await db.query({ name: 'test.next_event', text }, [api.tenant.orgId]);
    await post('Held back');
    await post('Goes on', api.other.client);
    await other.received(1);
    expect(own.parser.events).toEqual([]);
  });
  await own.received(1);
  for (const stream of [own, other]) await stream.close();
});

/**
 * Maximum time until the reader is cut off. For a reader that is more than a page behind, the stream waits first, so
 * the reader timeout passes twice.
 */
const patienceMs = 90_000;

/** Expects a client that does not read to be cut off once enough data was written for it. */
async function expectCutOff(replica: Awaited<ReturnType<typeof api.startReplica>>, writesAtOnce: number) {
  const { hostname, port } = new URL(replica.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const head = ['GET /v1/events?after=latest HTTP/1.1', 'Host: x', 'Accept: text/event-stream'];
  socket.write(`${head.join('\r\n')}\r\nX-Api-Key: ${api.tenant.key}\r\n\r\n`);
  // A stream from the latest event is refused while events are being written, so the writes begin after its head.
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 200 /);
  socket.pause();
  const body = { content: 'x'.repeat(40_000) };
  const write = () => api.tenant.client('POST', '/v1/activities/custom', { body });
  // The kernel's buffers on both sides must fill first.
  await until(async () => {
    await Promise.all(Array.from({ length: writesAtOnce }, write));
    expect(await replica.metrics.metrics()).toContain('operation="streamEvents"');
  }, patienceMs);
  socket.destroy();
}

test('a reader with a megabyte of waiting data is cut off', { timeout: 2 * patienceMs }, async () => {
  await using replica = await api.startReplica({ readerTimeoutMs: 10_000 });
  await expectCutOff(replica, 5);
});

test('a client that is more than a page behind and does not read is cut off, although the stream sends comments', async () => {
  await using replica = await api.startReplica({ readerTimeoutMs: 1_000, eventStreams: { commentEveryMs: 100 } });
  await expectCutOff(replica, 40);
});
