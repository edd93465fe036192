import { setTimeout as pause } from 'node:timers/promises';
import { Executor, newId, statement } from '@relata/db';
import { type Actor, EventFeed, type FeedQuery, organizationActor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { createUnit, patchUnit } from '../writes/record-units.ts';

let records: TestRecords;
let feed: EventFeed;
let executor: Executor;

beforeAll(async () => {
  records = await openTestRecords();
  const { database } = records.db;
  [feed, executor] = [new EventFeed(database), new Executor(database)];
});
afterAll(() => records[Symbol.asyncDispose]());

const read = (query: Partial<FeedQuery> = {}, orgId = records.orgId) =>
  feed.read(orgId, { order: 'asc', limit: 100, waitMs: 0, ...query });
const latest = async () => (await read({ after: 'latest' })).nextCursor;

/** Reads all events after a cursor, page by page. */
async function readAll(query: Partial<FeedQuery>) {
  const events = [];
  for (let { after } = query; ;) {
    const page = await read({ ...query, after });
    events.push(...page.events);
    if (!page.hasMore) return { events, cursor: page.nextCursor };
    after = page.nextCursor;
  }
}

const write = statement<{ id: string }>(
  'test.write_event',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor)
   VALUES ($1, $2, next_event($1), 'account.updated', $3, '{"type":"system"}') RETURNING id`,
);

test('a reader that follows many writers gets every event exactly once, in ascending order, and none before its cursor', async () => {
  const start = await latest();
  const written: string[] = [];
  const writer = async () => {
    for (let i = 0; i < 25; i++) {
      await records.transaction(async (db) => {
        const count = 1 + Math.floor(Math.random() * 3);
        for (let n = 0; n < count; n++) {
          const [row] = await db.query(write, [records.orgId, newId(), newId()]);
          written.push(row!.id);
          // The event already has its number, but commits after others.
          await pause(Math.random() * 8);
        }
      });
    }
  };
  let isWriting = true;
  const writing = Promise.all(Array.from({ length: 8 }, writer)).finally(() => (isWriting = false));
  const seen: { id: string; seq: number }[] = [];
  let after = start;
  for (let wasLast = false; !wasLast;) {
    wasLast = !isWriting;
    const { events, cursor } = await readAll({ after, limit: 7 });
    seen.push(...events);
    after = cursor;
    await pause(1);
  }
  await writing;
  expect(seen.map(({ id }) => id).toSorted()).toEqual(written.toSorted());
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((a, b) => a - b));
});

test('B3.4: an open transaction delays the events of its own organization only', async () => {
  const [start, theirStart] = [await latest(), (await read({ after: 'latest' }, records.otherOrgId)).nextCursor];
  await records.transaction(async (db) => {
    await db.query(write, [records.orgId, newId(), newId()]);
    await records.insert(accounts, { account_name: 'Behind it' });
    await records.insert(accounts, { account_name: 'Elsewhere' }, records.otherOrgId);
    expect((await read({ after: start })).events).toEqual([]);
    expect((await read({ after: theirStart }, records.otherOrgId)).events).toHaveLength(1);
  });
  expect((await read({ after: start })).events).toHaveLength(2);
});

test("B3.3: a record's own events are available as soon as its change has been answered", async () => {
  await records.transaction(async (db) => {
    await db.query(write, [records.orgId, newId(), newId()]);
    const { id } = await records.insert(accounts, { account_name: 'At once' });
    expect((await read({ recordId: id })).events).toMatchObject([{ type: 'account.created' }]);
  });
});

test('a waiting reader gets the next event, or nothing once its time is over', async () => {
  const after = await latest();
  const waiting = read({ after, waitMs: 20_000 });
  const { id } = await records.insert(accounts, { account_name: 'Awaited' });
  expect((await waiting).events).toMatchObject([{ record_id: id }]);
  const page = await read({ after: await latest(), waitMs: 300 });
  expect(page).toEqual({ events: [], nextCursor: await latest(), hasMore: false });
});

test('a reader that leaves stops waiting', async () => {
  const leaving = new AbortController();
  const query = { after: await latest(), order: 'asc', limit: 1, waitMs: 100_000 } as const;
  const waiting = feed.read(records.orgId, query, leaving.signal);
  leaving.abort();
  expect((await waiting).events).toEqual([]);
});

const actorOf = (keyId: string, requestId: string): Actor =>
  organizationActor({ kind: 'api_key', keyId, keyName: 'ERP', requestId }, records.orgId);

test('filters leave out other events, and the cursor still moves past them', async () => {
  const start = await latest();
  const actor = actorOf('filter-key', 'filter-request');
  const contact = await executor.run(createUnit(actor, contacts, { first_name: 'Ada', last_name: 'L' }));
  await executor.run(patchUnit(actor, contacts, { id: contact.id, patch: { title: 'Countess' } }));
  await records.insert(accounts, { account_name: 'Other' });
  const idsOf = async (query: Partial<FeedQuery>) =>
    (await read({ after: start, ...query })).events.map(({ type }) => type);
  expect(await idsOf({})).toEqual(['contact.created', 'contact.updated', 'account.created']);
  expect(await idsOf({ types: ['contact.*'] })).toEqual(['contact.created', 'contact.updated']);
  expect(await idsOf({ types: ['contact.created', 'account.created'] })).toEqual([
    'contact.created',
    'account.created',
  ]);
  expect(await idsOf({ types: [] })).toEqual([]);
  expect(await idsOf({ actorId: 'filter-key' })).toEqual(['contact.created', 'contact.updated']);
  expect(await idsOf({ requestId: 'filter-request', changed: 'title' })).toEqual(['contact.updated']);
  expect(await idsOf({ recordId: contact.id, types: ['contact.updated'] })).toEqual(['contact.updated']);
  expect(await idsOf({ before: '2001-01-01T00:00:00Z' })).toEqual([]);
  expect(await idsOf({ from: '2001-01-01T00:00:00Z' })).toHaveLength(3);
  const nothing = await read({ after: start, requestId: 'nobody' });
  expect(nothing).toEqual({ events: [], nextCursor: await latest(), hasMore: false });
});

test('with desc the newest events come first, and the cursor leads to older ones', async () => {
  for (const name of ['One', 'Two', 'Three']) await records.insert(accounts, { account_name: name });
  const first = await read({ order: 'desc', limit: 2 });
  const second = await read({ order: 'desc', limit: 2, after: first.nextCursor });
  const namesOf = ({ events }: typeof first) => events.map(({ record }) => record?.['account_name']);
  expect(namesOf(first)).toEqual(['Three', 'Two']);
  expect(namesOf(second)[0]).toBe('One');
  expect([first.hasMore, second.hasMore]).toEqual([true, true]);
});

test('rejects a cursor that never existed, and reports one of a dropped event as expired', async () => {
  const theirs = await read({}, records.otherOrgId);
  const refused = { code: 'validation_error', details: [{ in: 'query', field: 'after', code: 'invalid_cursor' }] };
  await expect(read({ after: newId() })).rejects.toMatchObject(refused);
  await expect(read({ after: '00000000-0000-7000-8000-000000000000' })).rejects.toMatchObject({
    code: 'cursor_expired',
    data: { oldest_cursor: 'start' },
  });
  expect(theirs.events.length).toBeGreaterThan(0);
});

test('an empty feed can be followed', async () => {
  const orgId = newId();
  for (const after of [undefined, 'start', 'latest'])
    expect(await read({ after }, orgId)).toEqual({ events: [], nextCursor: 'start', hasMore: false });
});

test('a page ends with the event that exceeds a megabyte, and its cursor leads to the rest', async () => {
  const start = await latest();
  const address = 'x'.repeat(200_000);
  for (let i = 0; i < 30; i++) await records.insert(accounts, { account_name: `Large ${i}`, address });
  const page = await read({ after: start });
  expect(page).toMatchObject({ hasMore: true });
  expect(page.events.length).toBeLessThan(8);
  const { events } = await readAll({ after: start });
  expect(events.map(({ record }) => record?.['account_name'])).toEqual(
    Array.from({ length: 30 }, (_, i) => `Large ${i}`),
  );
});
