import { type Database, newId, statement } from '@relata/db';
import { eventsWritten, Messaging } from '@relata/messaging';
import { createTestDatabase, natsUrl, type TestDatabase, until } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventNotifier } from '../event-notifier.ts';
import { EventFeed, type FeedPage } from './event-feed.ts';

let opened: TestDatabase;

beforeEach(async () => void (opened = await createTestDatabase()));
afterEach(() => opened[Symbol.asyncDispose]());

const insert = (orgId: string) =>
  opened.owner.query(
    statement(
      '',
      `INSERT INTO events (org_id, id, seq, type, record_id, actor)
       VALUES ('${orgId}', gen_random_uuid(), next_event('${orgId}'), 'account.updated', gen_random_uuid(), '{"type":"system"}')`,
    ),
    [],
  );

/** Wraps the database, and counts how often each statement was sent and how many ran at once. */
function watched() {
  const counts: Record<string, number> = {};
  const looks = new Map<string, number>();
  let [running, most] = [0, 0];
  const of: Database['of'] = (orgId, signal) => {
    const db = opened.database.of(orgId, signal);
    const query: typeof db.query = async (prepared, values) => {
      counts[prepared.name] = (counts[prepared.name] ?? 0) + 1;
      if (prepared.name === 'events.look') looks.set(orgId, (looks.get(orgId) ?? 0) + 1);
      most = Math.max(most, ++running);
      try {
        return await db.query(prepared, values);
      } finally {
        running--;
      }
    };
    return { ...db, query };
  };
  const reset = () => {
    for (const name of Object.keys(counts)) delete counts[name];
    most = 0;
  };
  return { database: { ...opened.database, of }, counts, looks, most: () => most, reset };
}

const query = { order: 'asc', limit: 10, after: 'latest' } as const;

test('waiting readers of an organization share their looks, and read new events with few connections', async () => {
  const { database, counts, most, reset } = watched();
  const feed = new EventFeed(database);
  const orgId = newId();
  const waiting = Array.from({ length: 50 }, () => feed.read(orgId, { ...query, waitMs: 20_000 }));
  await until(() => expect(counts['events.look']).toBeGreaterThan(3));
  reset();
  await until(() => expect(counts['events.look']).toBe(4));
  expect(counts).toEqual({ 'events.look': 4 });
  await insert(orgId);
  for (const { events } of await Promise.all(waiting)) expect(events).toHaveLength(1);
  expect(counts['events.feed_asc']).toBe(1);
  // At most one look and one read ran at the same time.
  expect(most()).toBeLessThanOrEqual(2);
});

test('followers at the same position share each read, and a follower with other filters reads separately (found A4)', async () => {
  const { database, counts, reset } = watched();
  const feed = new EventFeed(database);
  const orgId = newId();
  const stop = new AbortController();
  const follow = (more = {}) => feed.follow(orgId, { after: 'latest', ...more }, stop.signal);
  const feeds = [...Array.from({ length: 46 }, () => follow()), follow({ types: ['account.*'] })];
  const nextOf = (pages: (typeof feeds)[number]) => pages.next().then(({ value }) => value as FeedPage);
  await Promise.all(feeds.map(nextOf));
  for (let round = 0; round < 3; round++) {
    reset();
    const next = feeds.map(nextOf);
    await insert(orgId);
    const pages = await Promise.all(next);
    expect(counts['events.feed_asc']).toBe(1);
    expect(new Set(pages.map(({ events }) => events)).size).toBe(2);
    expect(new Set(pages.map(({ nextCursor }) => nextCursor))).toEqual(new Set([pages[0]!.events[0]!.id]));
  }
  stop.abort();
});

test('waiting readers of many organizations look a few at a time, and each gets its own events', async () => {
  const { database, looks, most, reset } = watched();
  const feed = new EventFeed(database);
  const orgIds = Array.from({ length: 60 }, () => newId());
  const waiting = orgIds.map((orgId) => feed.read(orgId, { ...query, waitMs: 30_000 }));
  // Each reader looks once for its first read, and once while it waits. An event that is inserted earlier would not be
  // new to its reader.
  await until(() => expect(orgIds.filter((orgId) => looks.get(orgId)! >= 2)).toHaveLength(60));
  reset();
  await Promise.all(orgIds.map(insert));
  for (const { events } of await Promise.all(waiting)) expect(events).toHaveLength(1);
  expect(most()).toBeLessThanOrEqual(2 + 4);
});

test('a reader that leaves makes room for another at once', async () => {
  const feed = new EventFeed(opened.database);
  const orgId = newId();
  const leaving = new AbortController();
  const read = (signal?: AbortSignal) => feed.read(orgId, { ...query, waitMs: 30_000 }, signal);
  const refusals: unknown[] = [];
  // Any of the 51 readers may find no slot, since all of them look for events at the same time.
  const waiting = Array.from({ length: 51 }, () => read(leaving.signal).catch((error) => void refusals.push(error)));
  await until(() => expect(refusals).toMatchObject([refused]));
  leaving.abort();
  const pages = (await Promise.all(waiting)).filter((page) => page !== undefined);
  expect(pages.map(({ events }) => events)).toEqual(Array.from({ length: 50 }, () => []));
  expect((await read(AbortSignal.timeout(50))).events).toEqual([]);
});

const refused = { code: 'service_unavailable', retryAfterSeconds: 1 };

test('a failed look is reported to waiting readers, and the next reader looks again', async () => {
  let isBroken = false;
  const { database, looks } = watched();
  const of: Database['of'] = (orgId) => {
    const db = database.of(orgId);
    const broken = () => Promise.reject(new Error('broken'));
    return { ...db, query: (prepared, values) => (isBroken ? broken() : db.query(prepared, values)) };
  };
  const feed = new EventFeed({ ...database, of });
  const orgId = newId();
  /** Reads from the newest event on. Returns once the reader waits, so that later events are new to it. */
  const startReading = async () => {
    looks.clear();
    const page = feed.read(orgId, { ...query, waitMs: 20_000 });
    await until(() => expect(looks.get(orgId)).toBeGreaterThanOrEqual(2));
    return { page };
  };
  const failing = await startReading();
  isBroken = true;
  await expect(failing.page).rejects.toThrow('broken');
  isBroken = false;
  const next = await startReading();
  await insert(orgId);
  expect((await next.page).events).toHaveLength(1);
});

test('many concurrent writes become few messages, which name each organization and wake readers in other processes', async () => {
  await using stack = new AsyncDisposableStack();
  const open = async () => {
    const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test', prefix: `test-${opened.url.at(-1)}` }));
    await messaging.connected(60_000);
    return messaging;
  };
  const [here, there] = [await open(), await open()];
  const messages: string[][] = [];
  there.subscribe(eventsWritten, ({ orgIds }) => void messages.push(orgIds));
  const [own, woken] = [new Set<string>(), new Set<string>()];
  stack.use(new EventNotifier(there)).onWritten((orgId) => void woken.add(orgId));
  const eventNotifier = stack.use(new EventNotifier(here));
  eventNotifier.onWritten((orgId) => void own.add(orgId));
  // Waits until the subscription is active.
  await until(() => {
    eventNotifier.written('probe');
    expect(woken).toContain('probe');
  });
  const orgIds = [newId(), newId()];
  messages.length = 0;
  for (let i = 0; i < 10_000; i++) eventNotifier.written(orgIds[i % 2]!);
  await until(() => expect([...woken]).toEqual(['probe', ...orgIds]));
  expect([...own]).toEqual(['probe', ...orgIds]);
  expect(messages.filter((named) => named.includes(orgIds[1]!))).toHaveLength(1);
  expect(messages.length).toBeLessThanOrEqual(3);
});
