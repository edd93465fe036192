import type { Database } from '@relata/db';
import { EventFeed, type FeedPage } from '@relata/events';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { accounts } from '../tables.ts';

let records: TestRecords;
let feed: EventFeed;
let asked: string[];

beforeAll(async () => {
  records = await openTestRecords();
  feed = new EventFeed(noting(records.db.database));
});
afterAll(() => records[Symbol.asyncDispose]());
beforeEach(() => void (asked = []));

/** Wraps the database, and records the names of the statements sent on behalf of organizations. */
function noting(database: Database): Database {
  const of: Database['of'] = (orgId, signal) => {
    const db = database.of(orgId, signal);
    return {
      transaction: (work) => db.transaction(work),
      query: (prepared, values) => {
        asked.push(prepared.name);
        return db.query(prepared, values);
      },
    };
  };
  return { ...database, of };
}

const read = (after: string, limit = 100) =>
  feed.read(records.orgId, { order: 'asc', after, limit, waitMs: 0 }) as Promise<FeedPage>;
const latest = async () => (await read('latest')).nextCursor;
const seqsOf = ({ events }: FeedPage) => events.map(({ seq }) => seq);

async function insertAccounts(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await records.insert(accounts, { account_name: `Account ${i}` });
}

test('a reader that catches up within the settled events does not read the horizon again, and gets each event once', async () => {
  const start = await latest();
  await insertAccounts(25);
  const all = await read(start);
  expect(asked).toContain('events.look');
  asked = [];
  const first = await read(start, 10);
  const second = await read(first.nextCursor, 10);
  expect(asked).not.toContain('events.look');
  expect([first.hasMore, second.hasMore]).toEqual([true, true]);
  const third = await read(second.nextCursor, 10);
  expect(asked).toContain('events.look');
  expect([first, second, third].flatMap(seqsOf)).toEqual(seqsOf(all));
});

test('a reader at the end of the known horizon gets the events written since', async () => {
  const start = await latest();
  await insertAccounts(12);
  await read(start);
  await insertAccounts(2);
  const page = await read(start, 12);
  expect([page.events.length, page.hasMore]).toEqual([12, true]);
  expect((await read(start, 13)).events).toHaveLength(13);
  expect((await read(page.nextCursor, 12)).events).toHaveLength(2);
});
