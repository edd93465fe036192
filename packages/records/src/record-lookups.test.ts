import { type Database, Executor, isUnavailable, newId, openDatabase, statement } from '@relata/db';
import { type WaitingCaller, DisconnectedError } from '@relata/runtime';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from './accounts/account.table.ts';
import { RecordLookups } from './record-lookups.ts';
import { findRecord } from './record.sql.ts';
import { recordTables } from './record-tables.ts';
import { openTestRecords, type TestRecords } from './records.harness.ts';
import type { RecordTable } from './table/record-table.ts';
import { patchUnit } from './writes/record-units.ts';

let records: TestRecords;
let ids: string[];
beforeAll(async () => {
  records = await openTestRecords();
  const names = Array.from({ length: 80 }, (_, i) => ({ account_name: `Account ${i}` }));
  ids = (await Promise.all(names.map((name) => records.insert(accounts, name)))).map(({ id }) => id);
});
afterAll(() => records[Symbol.asyncDispose]());

interface TestReader extends WaitingCaller {
  hasLeft: boolean;
}
const newReader = (): TestReader => ({ hasLeft: false, onLeft: undefined });
const leave = (reader: TestReader) => {
  reader.hasLeft = true;
  reader.onLeft?.();
};

/** Counts the statements of look-ups, and holds them until `release` is called. */
function heldLookups() {
  const { database } = records.db;
  const released = Promise.withResolvers<void>();
  const sent: { name: string; values: readonly unknown[] }[] = [];
  const ofAll: Database['ofAll'] = (orgIds, signal) => ({
    async query(prepared, values) {
      sent.push({ name: prepared.name, values });
      await released.promise;
      return database.ofAll(orgIds, signal).query(prepared, values);
    },
  });
  const lookups = new RecordLookups({ ...database, ofAll });
  const find = (id: string, { orgId = records.orgId, reader = newReader() as WaitingCaller } = {}) =>
    lookups.find(orgId, accounts, id, reader);
  const inFlight = async (count: number) => until(() => expect(sent).toHaveLength(count));
  /** Sends two lone look-ups, so that all others wait. */
  const fill = async () => {
    const first = find(ids[0]!);
    await inFlight(1);
    const second = find(ids[1]!);
    await inFlight(2);
    return [first, second];
  };
  return { find, fill, inFlight, sent, release: released.resolve };
}

test('look-ups that arrive while two are in flight share one statement, and a lone look-up has its own (found E)', async () => {
  const { find, fill, sent, release } = heldLookups();
  const asked = [...(await fill()), ...ids.slice(2, 40).map((id) => find(id))];
  release();
  expect((await Promise.all(asked)).map((account) => account?.id)).toEqual(ids.slice(0, 40));
  expect(sent.map(({ name }) => name)).toEqual(['accounts.find', 'accounts.find', 'accounts.find_many']);
});

test('looking up records of every kind together finds the same as one by one, within each organization', async () => {
  const { orgId, otherOrgId, db } = records;
  await records.insertStage('Theirs', otherOrgId);
  await records.insertStage('Ours');
  const lookups = new RecordLookups(db.database);
  for (const table of recordTables) {
    const own = await idsIn(table, orgId);
    const theirs = await idsIn(table, otherOrgId);
    const asked = [...own, ...theirs, newId(), ...own, ...own.map((id) => id.toUpperCase())];
    const together = await Promise.all(asked.map((id) => lookups.find(orgId, table, id, newReader())));
    const alone = await Promise.all(asked.map((id) => findRecord(db.database, orgId, table, id)));
    expect(together, table.name).toEqual(alone);
    expect(together.filter(Boolean)).toHaveLength(3 * own.length);
  }
});

async function idsIn({ name }: RecordTable<unknown>, orgId: string): Promise<string[]> {
  const list = statement<{ id: string }>('', `SELECT id FROM ${name} WHERE org_id = $1 LIMIT 10`);
  return (await records.db.database.query(list, [orgId])).map(({ id }) => id);
}

test('an organization with many look-ups gets 16 per statement, so that the next statement also serves another', async () => {
  const { find, fill, sent, release } = heldLookups();
  const asked = [...(await fill()), ...ids.map((id) => find(id))];
  const other = find(ids[0]!, { orgId: records.otherOrgId });
  release();
  expect(await other).toBeUndefined();
  await Promise.all(asked);
  const orgIds = sent[2]!.values[0] as string[];
  expect(orgIds).toHaveLength(17);
  expect(orgIds).toContain(records.otherOrgId);
});

test('a statement has at most 64 look-ups', async () => {
  const { find, fill, sent, release } = heldLookups();
  const asked = [...(await fill()), ...ids.map((id) => find(id))];
  release();
  await Promise.all(asked);
  expect((sent[2]!.values[0] as string[]).length).toBe(64);
});

test('a look-up whose reader leaves while it waits is never sent (G13)', async () => {
  const { find, fill, sent, release } = heldLookups();
  const [staying, leaving] = [newReader(), newReader()];
  const asked = [...(await fill()), find(ids[2]!, { reader: staying })];
  const left = find(ids[3]!, { reader: leaving });
  leave(leaving);
  await expect(left).rejects.toBeInstanceOf(DisconnectedError);
  release();
  expect((await Promise.all(asked))[2]).toMatchObject({ id: ids[2] });
  expect(sent[2]).toMatchObject({ name: 'accounts.find', values: [records.orgId, ids[2]] });
});

test('an id that the database refuses fails only its own look-up', async () => {
  const { find, fill, release } = heldLookups();
  const asked = [...(await fill()), ...[ids[2]!, 'nonsense', ids[3]!].map((id) => find(id))];
  release();
  const results = await Promise.allSettled(asked);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[3]).toMatchObject({ reason: { code: '22P02' } });
});

const working = statement<{ pid: number }>(
  '',
  `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND query LIKE '%accounts%' ORDER BY query_start`,
);
const lock = statement<never>('', 'LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
const terminate = statement<object>('', 'SELECT pg_terminate_backend($1)');

/** Opens look-ups that wait for a lock on the table, with their own connections. */
async function lockedLookups(name: string) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase({ url: records.db.url, name }));
  const locked = Promise.withResolvers<void>();
  const unlocked = Promise.withResolvers<void>();
  const holder = records.db.owner.transaction(async (tx) => {
    await tx.query(lock, []);
    locked.resolve();
    await unlocked.promise;
  });
  stack.defer(async () => {
    unlocked.resolve();
    await holder;
  });
  await locked.promise;
  const lookups = new RecordLookups(database);
  const find = (id: string, reader: WaitingCaller = newReader()) => lookups.find(records.orgId, accounts, id, reader);
  const pids = async () => (await records.db.owner.query(working, [name])).map(({ pid }) => pid);
  const inFlight = (count: number) => until(async () => expect(await pids()).toHaveLength(count));
  return { find, pids, inFlight, unlock: unlocked.resolve, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a statement continues while one of its readers stays, and is cancelled in the server once all have left', async () => {
  await using locked = await lockedLookups('cancelled look-ups');
  const [one, other] = [newReader(), newReader()];
  const shared = [locked.find(ids[0]!, one), locked.find(ids[1]!, other)];
  const results = Promise.allSettled(shared);
  await locked.inFlight(1);
  leave(one);
  const kept = locked.find(ids[2]!);
  await locked.inFlight(2);
  leave(other);
  await locked.inFlight(1);
  expect(await results).toMatchObject([1, 2].map(() => ({ reason: expect.any(DisconnectedError) })));
  locked.unlock();
  expect(await kept).toMatchObject({ id: ids[2] });
});

test('a connection that ends fails only the look-ups of its own statement', async () => {
  await using locked = await lockedLookups('broken look-ups');
  const broken = Promise.allSettled([locked.find(ids[0]!), locked.find(ids[1]!)]);
  await locked.inFlight(1);
  const [pid] = await locked.pids();
  const others = [locked.find(ids[2]!), locked.find(ids[3]!)];
  await locked.inFlight(2);
  others.push(locked.find(ids[4]!));
  await records.db.owner.query(terminate, [pid]);
  expect((await broken).map((result) => result.status === 'rejected' && isUnavailable(result.reason))).toEqual([
    true,
    true,
  ]);
  locked.unlock();
  expect((await Promise.all(others)).map((account) => account?.id)).toEqual(ids.slice(2, 5));
});

test('a look-up that starts after a change was answered sees the change, however many are in flight', async () => {
  const { database } = records.db;
  const [lookups, executor] = [new RecordLookups(database), new Executor(database)];
  const callers = ids.slice(0, 20).map(async (id) => {
    for (let i = 0; i < 20; i++) {
      await executor.run(patchUnit(records.actor, accounts, { id, patch: { icp_label: `tier ${i}` } }));
      const found = await lookups.find(records.orgId, accounts, id, newReader());
      expect(found).toMatchObject({ id, icp_label: `tier ${i}` });
    }
  });
  await Promise.all(callers);
});
