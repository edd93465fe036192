import { type Db, newId, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventFeed, type FeedPage, type FeedQuery } from './event-feed.ts';

let opened: TestDatabase;
let feed: EventFeed;

beforeAll(async () => {
  opened = await createTestDatabase();
  feed = new EventFeed(opened.database);
});
afterAll(() => opened[Symbol.asyncDispose]());

const read = (orgId: string, query: Partial<FeedQuery> = {}) =>
  feed.read(orgId, { order: 'asc', limit: 100, waitMs: 0, ...query });

describe('with a filter that matches every 500th of 25,000 events', () => {
  const orgId = newId();
  const filters = { types: ['contact.*'] };
  let all: { id: string; seq: number; type: string }[];

  const writeMany = statement<(typeof all)[number]>(
    'test.write_many',
    `INSERT INTO events (org_id, id, seq, type, record_id, actor)
     SELECT $1, gen_random_uuid(), next_event($1),
       CASE WHEN n % 500 = 0 THEN 'contact.created' ELSE 'account.updated' END, gen_random_uuid(), '{"type":"system"}'
     FROM generate_series(1, 25000) n RETURNING id, seq, type`,
  );
  beforeAll(async () => void (all = await opened.database.query(writeMany, [orgId])));

  const matching = () => all.filter(({ type }) => type === 'contact.created').map(({ id }) => id);
  const idsIn = (pages: readonly FeedPage[]) => pages.flatMap(({ events }) => events.map(({ id }) => id));
  const seqsOf = (pages: readonly FeedPage[]) => {
    const seqs = new Map(all.map(({ id, seq }) => [id, seq]));
    return pages.map(({ nextCursor }) => seqs.get(nextCursor)!);
  };

  test.each(['asc', 'desc'] as const)('a reader gets every matching event exactly once: %s', async (order) => {
    const pages: FeedPage[] = [];
    for (let after: string | undefined; pages.at(-1)?.hasMore !== false; after = pages.at(-1)!.nextCursor)
      pages.push(await read(orgId, { ...filters, order, limit: 1_000, after }));
    expect(idsIn(pages)).toEqual(order === 'asc' ? matching() : matching().toReversed());
    // Each page examines at most 20,000 events.
    expect(pages).toHaveLength(2);
    expect(pages[0]!.events).toHaveLength(40);
  });

  test('a follower gets every matching event exactly once, and its cursor never goes back', async () => {
    const pages: FeedPage[] = [];
    const stop = new AbortController();
    for await (const page of feed.follow(orgId, filters, stop.signal)) {
      pages.push(page);
      if (page.nextCursor === all.at(-1)!.id) stop.abort();
    }
    expect(idsIn(pages)).toEqual(matching());
    expect(seqsOf(pages)).toEqual(seqsOf(pages).toSorted((a, b) => a - b));
  });
});

describe('a process that does not know yet how far the feed is settled', () => {
  const write = statement<{ id: string }>(
    'test.write_settling',
    `INSERT INTO events (org_id, id, seq, type, record_id, actor)
     VALUES ($1, gen_random_uuid(), next_event($1), 'account.updated', gen_random_uuid(), '{"type":"system"}') RETURNING id`,
  );

  test('refuses a read from the end of the feed while a writer is active, instead of reading from the start', async () => {
    const orgId = newId();
    const [{ id }] = (await opened.database.query(write, [orgId])) as [{ id: string }];
    const begin = [{ after: 'latest' }, { order: 'desc' }, { order: 'desc', after: id }] as const;
    await opened.database.transaction(async (db) => {
      await db.query(write, [orgId]);
      for (const query of begin)
        await expect(read(orgId, query)).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
      expect((await read(orgId)).events).toEqual([]);
    });
    expect((await read(orgId, { after: 'latest' })).nextCursor).not.toBe('start');
    expect((await read(orgId, { order: 'desc' })).events).toHaveLength(2);
  });

  test('answers `start` for a feed without events, even while its first event is being written', async () => {
    const orgId = newId();
    await opened.database.transaction(async (db) => {
      await db.query(write, [orgId]);
      expect(await read(orgId, { after: 'latest' })).toMatchObject({ events: [], nextCursor: 'start' });
    });
  });
});

describe('the events of one record', () => {
  const write = statement<{ id: string }>(
    'test.write_event',
    `INSERT INTO events (org_id, id, seq, type, record_id, actor)
     VALUES ($1, $2, next_event($1), 'account.updated', $3, '{"type":"system"}') RETURNING id`,
  );
  const writeOf = async (orgId: string, recordId: string, db: Db = opened.database) =>
    (await db.query(write, [orgId, newId(), recordId]))[0]!.id;
  const idsIn = ({ events }: FeedPage) => events.map(({ id }) => id);

  test('a reader that begins at `latest` gets the event of a transaction in flight', async () => {
    const [orgId, recordId] = [newId(), newId()];
    await writeOf(orgId, newId());
    // The process knows how far the feed is settled.
    await read(orgId);
    const { event, cursor } = await opened.database.transaction(async (db) => {
      const event = await writeOf(orgId, recordId, db);
      await writeOf(orgId, newId());
      return { event, cursor: (await read(orgId, { recordId, after: 'latest' })).nextCursor };
    });
    expect(idsIn(await read(orgId, { recordId, after: cursor }))).toEqual([event]);
  });

  test("a reader's cursor moves past the events of other records, so that it never expires", async () => {
    const [orgId, recordId] = [newId(), newId()];
    const first = await writeOf(orgId, recordId);
    const newest = [await writeOf(orgId, newId()), await writeOf(orgId, newId())][1]!;
    const page = await read(orgId, { recordId });
    expect([idsIn(page), page.nextCursor]).toEqual([[first], newest]);
    const dropOthers = statement<never>('test.drop', 'DELETE FROM events WHERE org_id = $1 AND id <> $2');
    await opened.owner.query(dropOthers, [orgId, newest]);
    const second = await writeOf(orgId, recordId);
    expect(idsIn(await read(orgId, { recordId, after: page.nextCursor }))).toEqual([second]);
  });

  test('a reader gets an event at once despite an earlier transaction in flight, and then only later events', async () => {
    const [orgId, recordId] = [newId(), newId()];
    await opened.database.transaction(async (db) => {
      await writeOf(orgId, newId(), db);
      const event = await writeOf(orgId, recordId);
      const page = await read(orgId, { recordId });
      expect([idsIn(page), page.nextCursor]).toEqual([[event], event]);
      expect(await read(orgId, { recordId, after: event })).toEqual({ events: [], nextCursor: event, hasMore: false });
    });
  });

  test('the cursor of a full page is its last event', async () => {
    const [orgId, recordId] = [newId(), newId()];
    const ids = [await writeOf(orgId, recordId), await writeOf(orgId, recordId)];
    await writeOf(orgId, newId());
    const page = await read(orgId, { recordId, limit: 1 });
    expect(page).toMatchObject({ nextCursor: ids[0], hasMore: true });
  });
});
