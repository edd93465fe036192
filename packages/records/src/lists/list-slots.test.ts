import { createOrganization } from '@relata/auth';
import { type Database, type Db, openDatabase, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { RecordLists } from './record-lists.ts';
import { listPlanned } from './planned-page.sql.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

/** Opens a database with one scan slot, which another organization holds until it is released. */
async function openWithScan() {
  const database = openDatabase({ url: db.url, name: 'test', scansMax: 1, connectTimeoutMs: 10_000 });
  const released = Promise.withResolvers<void>();
  const holding = database.scanOf(crypto.randomUUID()).inOneSlot(() => released.promise);
  return {
    database,
    lists: new RecordLists(database, (error) => expect.fail(String(error))),
    release: () => released.resolve(),
    [Symbol.asyncDispose]: async () => {
      released.resolve();
      await holding;
      await database[Symbol.asyncDispose]();
    },
  };
}

test('a sorted list without a filter needs no scan slot for its total', async () => {
  const { id } = await createOrganization(db.database, 'Sorted');
  await using scanned = await openWithScan();
  const page = await scanned.lists.list(id, contacts, { sort: 'last_name', limit: 1 });
  expect(page).toEqual({ data: [], total: 0, limit: 1, offset: 0, has_more: false });
});

test('lists that wait for a scan slot do not keep others from reading heavy pages', async () => {
  const names = Array.from({ length: 7 }, (_, i) => `Heavy ${i}`);
  const ids = await Promise.all(names.map(async (name) => (await createOrganization(db.database, name)).id));
  await using scanned = await openWithScan();
  // A list of activities is heavy until a light page was read. This test reads more lists than there are slots for
  // heavy pages.
  const queries = [
    { contact_id: crypto.randomUUID() },
    { contact_id: crypto.randomUUID(), sort: '-date_time' },
    { owner_id: crypto.randomUUID(), count: 'exact' as const },
  ];
  const waiting = queries.flatMap((query, i) =>
    [ids[2 * i]!, ids[2 * i + 1]!].map((id) => scanned.lists.list(id, customActivities, { limit: 5, ...query })),
  );
  await until(() => expect(scanned.database.pressure().waiting).toBe(waiting.length));
  expect((await scanned.lists.list(ids[6]!, customActivities, { limit: 5 })).data).toEqual([]);
  scanned.release();
  for (const page of await Promise.all(waiting)) expect(page.data).toEqual([]);
});

test('lists that wait for another heavy page of their organization hold no scan slot', async () => {
  const ids = await Promise.all(
    ['Heavy', 'Light'].map(async (name) => (await createOrganization(db.database, name)).id),
  );
  const [heavy, light] = ids as [string, string];
  await using database = openDatabase({ url: db.url, name: 'test', scansMax: 1 });
  const read = Promise.withResolvers<void>();
  const of: Database['of'] = (orgId, signal) => {
    const on = database.of(orgId, signal);
    return { ...on, query: async (...args) => (await (orgId === heavy && read.promise), on.query(...args)) };
  };
  const lists = new RecordLists({ ...database, of }, (error) => expect.fail(String(error)));
  const large = lists.list(heavy, customActivities, { limit: 5 });
  const waiting = [{}, { sort: '-date_time' }].map((query) =>
    lists.list(heavy, customActivities, { contact_id: crypto.randomUUID(), limit: 5, ...query }),
  );
  const other = await lists.list(light, customActivities, { contact_id: crypto.randomUUID(), limit: 5 });
  expect(other.data).toEqual([]);
  read.resolve();
  for (const page of await Promise.all([large, ...waiting])) expect(page.data).toEqual([]);
});

/** Queries in the order of ids, each with one parameter that is not in the contract. */
const queriesById = [
  { owner_id: crypto.randomUUID() },
  { last_name: 'Lovelace' },
  { 'tags[any]': ['vip'] },
  { sort: '-id' },
  { count: 'none' as const },
  { expand: ['account'] },
  { fields: ['id'] },
];

const countWaiting = statement<{ n: number }>(
  '',
  `SELECT count(*) AS n FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'test' AND wait_event_type = 'Lock'`,
);
const waiting = async () => (await db.owner.query(countWaiting, []))[0]!.n;

/** Locks the contacts, so that no list of them ends, until the result is disposed. */
async function lockContacts(): Promise<AsyncDisposable> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.owner.transaction(async (on) => {
    await on.query(statement('', 'LOCK TABLE contacts'), []);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return { [Symbol.asyncDispose]: () => (released.resolve(), holding) };
}

test('a list that takes longer than 5 s is cancelled in the database, and the error says how to shorten it', async () => {
  await using scanned = await openWithScan();
  await using _ = await lockContacts();
  const query = { sort: 'last_name', 'owner_id[exists]': 'true', 'account_id[exists]': 'true' };
  const refused = [query, ...queriesById].map((each) =>
    scanned.lists.list(crypto.randomUUID(), contacts, { limit: 5, ...each }),
  );
  const duplicates = scanned.lists.findDuplicates(crypto.randomUUID(), contacts, { by: 'email', limit: 5 }, undefined);
  const [search, ...lists] = await Promise.allSettled([duplicates, ...refused]);
  const saying = (message: string) => ({
    reason: { code: 'service_unavailable', message: expect.stringContaining(`took longer than 5 s. ${message}`) },
  });
  expect(search).toMatchObject(saying('Repeat it'));
  expect(lists).toMatchObject(refused.map(() => saying('Add a filter')));
  await until(async () => expect(await waiting()).toBe(0));
});

test('a list by id with a parameter outside the contract is cancelled in the database once nobody waits for it', async () => {
  await using database = openDatabase({ url: db.url, name: 'test', connectTimeoutMs: 10_000 });
  const lists = new RecordLists(database, (error) => expect.fail(String(error)));
  await using _ = await lockContacts();
  const leaving = new AbortController();
  const abandoned = queriesById.map((query) =>
    lists.list(crypto.randomUUID(), contacts, { limit: 5, ...query }, leaving.signal),
  );
  const ended = Promise.allSettled(abandoned);
  await until(async () => expect(await waiting()).toBe(abandoned.length));
  leaving.abort(new Error('Nobody waits.'));
  expect(await ended).toMatchObject(abandoned.map(() => ({ reason: { message: 'Nobody waits.' } })));
  await until(async () => expect(await waiting()).toBe(0));
});

test('a page of duplicates that takes longer than 3 s is read again with a tenth of the entries', async () => {
  await using scanned = await openWithScan();
  const walked: unknown[] = [];
  const scanOf: Database['scanOf'] = (orgId, signal) => {
    const db = scanned.database.scanOf(orgId, signal);
    const query: Db['query'] = (prepared, values) => {
      if (walked.push(values.at(-1)) === 2) scanned.release();
      return db.query(prepared, values);
    };
    return { query, inOneSlot: (work) => db.inOneSlot(work), transaction: (work) => db.transaction(work) };
  };
  const lists = new RecordLists({ ...scanned.database, scanOf }, (error) => expect.fail(String(error)));
  const found = await lists.findDuplicates(crypto.randomUUID(), contacts, { by: 'email', limit: 5 }, undefined);
  expect([found, walked]).toEqual([{ data: [], has_more: false }, [20_000, 2_000]]);
});

test('with two filters for equal values, a page in the order of ids is read in a scan slot', async () => {
  const read: string[] = [];
  const watch = (slot: string): Db => ({
    query: (prepared) => {
      read.push(`${prepared.name} ${slot}`);
      return Promise.resolve([{ matches: 10_001, id: null } as never]);
    },
  });
  const query = { owner_id: crypto.randomUUID(), last_name: 'Lovelace', limit: 5, count: 'none' as const };
  await listPlanned({ db: watch('short'), scan: watch('scan') }, crypto.randomUUID(), contacts, query, false);
  expect(read).toEqual(['contacts.matches short', 'contacts.walk scan', 'contacts.sort scan']);
});
