import { performance } from 'node:perf_hooks';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Replica, startTestApi, type TestApi } from '../records-api.harness.ts';
import { openEventStream } from './event-stream.harness.ts';

let api: TestApi;
let replica: Replica;

beforeAll(async () => {
  api = await startTestApi();
  replica = await api.startReplica();
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

interface ShownEvent {
  id: string;
  type: string;
  record_id: string;
  previous?: { city?: string };
  record: { city?: string };
}

const clientOf = (url: string) => apiClient(url, api.tenant.key);
/** Retries after 503, which a busy machine returns if connecting to the database takes too long. */
const get = (url: string, path: string) =>
  until(async () => {
    const response = await clientOf(url)('GET', path);
    expect(response.status, response.text).toBe(200);
    return response.body;
  });
const cursorNow = async () => (await get(api.url, '/v1/events?after=latest')).next_cursor as string;
const post = (url: string) =>
  until(async () => {
    const body = { account_name: 'Busy', city: '-' };
    const response = await clientOf(url)('POST', '/v1/records/accounts', { body });
    expect(response.status, response.text).toBe(201);
    return response.body.data.id as string;
  });
const sql = (text: string) => api.db.owner.query<Record<string, unknown>>({ name: '', text }, [api.tenant.orgId]);

/** Follows the feed with waiting requests. Once the signal is aborted, it reads until there are no more events. */
async function follow(url: string, after: string, end: AbortSignal): Promise<ShownEvent[]> {
  const seen: ShownEvent[] = [];
  for (let cursor = after; ;) {
    const isLast = end.aborted;
    const { data, next_cursor } = await get(url, `/v1/events?after=${cursor}&wait=2&limit=7`);
    seen.push(...data);
    cursor = next_cursor;
    if (isLast && data.length === 0) return seen;
  }
}

/**
 * Follows the stream like an EventSource until enough events have arrived. If a stream ends because a busy machine
 * could not read a page, reconnects with the id of the last event.
 */
async function stream(url: string, after: string, count: () => number): Promise<ShownEvent[]> {
  const seen: ShownEvent[] = [];
  for (let lastEventId = ''; seen.length < count();) {
    await using stream = await openEventStream(url, { key: api.tenant.key, query: `after=${after}`, lastEventId });
    const { events } = stream.parser;
    await until(() => expect(stream.hasEnded() || seen.length + events.length >= count()).toBe(true), 60_000);
    seen.push(...events.map(({ data }) => JSON.parse(data) as ShownEvent));
    lastEventId = stream.parser.lastEventId;
  }
  return seen;
}

/**
 * Lets 16 clients change records concurrently, through two replicas. Each client makes some changes even on a slow
 * machine.
 */
async function changeFor(seconds: number, ids: readonly string[]): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000;
  const change = async (writer: number) => {
    const client = clientOf(writer % 2 ? api.url : replica.url);
    for (let count = 0; performance.now() < endsAt || count < 5; count++) {
      const path = `/v1/records/accounts/${ids[Math.floor(Math.random() * ids.length)]}`;
      // Half of the clients use separate transactions, which commit long after they have drawn a sequence number.
      const headers = writer % 4 < 2 ? { 'Idempotency-Key': `${writer}-${count}` } : {};
      const { status } = await client('PATCH', path, { body: { city: `${writer} ${count}` }, headers });
      expect([200, 503]).toContain(status);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, writer) => change(writer)));
}

test('while 16 clients change 40 records, three readers get every event once, in order, and each record version by version', async () => {
  const after = await cursorNow();
  const ended = new AbortController();
  let count = Infinity;
  const readers = [
    follow(api.url, after, ended.signal),
    follow(replica.url, after, ended.signal),
    stream(replica.url, after, () => count),
  ];
  const ids = await Promise.all(Array.from({ length: 40 }, () => post(api.url)));
  await changeFor(5, ids);
  ended.abort();
  const rows = await sql(`SELECT id FROM events e WHERE org_id = $1 AND seq >
    (SELECT seq FROM events WHERE org_id = e.org_id AND id = '${after}') ORDER BY seq`);
  count = rows.length;
  expect(count).toBeGreaterThan(60);
  const expected = rows.map(({ id }) => id);
  for (const seen of await Promise.all(readers)) {
    expect(seen.map(({ id }) => id)).toEqual(expected);
    for (const id of ids) expectVersions(seen.filter(({ record_id: record }) => record === id));
  }
});

/** Expects the values before each event to be the values after the previous event. */
function expectVersions([created, ...updated]: ShownEvent[]): void {
  expect(created!.type).toBe('account.created');
  let city = created!.record.city;
  for (const { type, previous, record } of updated) {
    expect([type, previous!.city]).toEqual(['account.updated', city]);
    city = record.city;
  }
}

test('an answered write is in its history at once, and in the feed of every replica soon, also without NATS', async () => {
  await using alone = await api.startReplica({ natsUrl: 'nats://127.0.0.1:1' });
  for (const url of [api.url, replica.url, alone.url]) {
    const after = await cursorNow();
    const waiting = get(url, `/v1/events?after=${after}&wait=30`);
    const id = await post(api.url);
    const answeredAt = performance.now();
    const history = await get(url, `/v1/records/accounts/${id}/history`);
    expect(history.data).toMatchObject([{ record_id: id }]);
    expect((await waiting).data).toMatchObject([{ record_id: id }]);
    // This takes a second on an idle machine. A reader that is not woken waits for 30 s.
    expect(performance.now() - answeredAt).toBeLessThan(25_000);
  }
});

test('a write wakes a reader of another replica sooner than a reader that has no NATS messages and polls', async () => {
  await using alone = await api.startReplica({ natsUrl: 'nats://127.0.0.1:1' });
  const open = (url: string) => openEventStream(url, { key: api.tenant.key, query: 'after=latest' });
  await using woken = await open(replica.url);
  await using looking = await open(alone.url);
  await until(() => expect([woken, looking].map(({ parser }) => parser.lastEventId)).not.toContain(''));
  const aheadMs: number[] = [];
  for (let round = 1; round <= 11; round++) {
    await post(api.url);
    const received = [woken, looking].map((reading) => reading.received(round).then(() => performance.now()));
    const [wokenAt, lookedAt] = await Promise.all(received);
    aheadMs.push(lookedAt! - wokenAt!);
  }
  expect(aheadMs.toSorted((a, b) => a - b)[5]).toBeGreaterThan(0);
});

test('a reader gets past 50,000 events that do not match, and each response examines only a part of them', async () => {
  const before = await cursorNow();
  await sql(`INSERT INTO events (org_id, id, seq, type, record_id, actor)
    SELECT $1, gen_random_uuid(), next_event($1), 'stage.updated', gen_random_uuid(), '{"type":"system"}'
    FROM generate_series(1, 50000)`);
  const id = await post(api.url);
  const last = await cursorNow();
  const filter = 'type=account.created&changed=';
  const pagesWith = async (wait: number) => {
    const cursors = [before];
    while (cursors.at(-1) !== last) {
      const body = await get(api.url, `/v1/events?${filter}nothing&wait=${wait}&after=${cursors.at(-1)}`);
      expect(body.data).toEqual([]);
      expect(cursors).not.toContain(body.next_cursor);
      cursors.push(body.next_cursor);
    }
    return cursors.length - 1;
  };
  expect(await pagesWith(0)).toBe(3);
  // Tries again, since on a stalled machine the wait may end before the feed's end is reached.
  await until(async () => expect(await pagesWith(1)).toBe(1));
  const query = `type=account.created&after=${before}`;
  await using stream = await openEventStream(replica.url, { key: api.tenant.key, query });
  await stream.received(1);
  expect(JSON.parse(stream.parser.events[0]!.data).record_id).toBe(id);
  expect((await get(api.url, `/v1/events?${query}&wait=20`)).data).toMatchObject([{ record_id: id }]);
});
