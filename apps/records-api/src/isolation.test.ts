import { openDatabase, statement } from '@relata/db';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const waiting = statement<{ n: number }>(
  '',
  `SELECT count(*) AS n FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'records-api' AND wait_event_type = 'Lock'`,
);

async function countWaiting(): Promise<number> {
  return (await api.db.database.query(waiting, []))[0]!.n;
}

/** Locks the table of accounts until the result is disposed of. */
async function lockAccounts(): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase({ url: api.db.url, name: 'test', poolMax: 1 }));
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const holding = database.transaction(async (db) => {
    await db.query(statement('', 'LOCK TABLE accounts'), []);
    isLocked();
    await released;
  });
  stack.defer(() => (resolve(), holding));
  await locked;
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Requests different pages, so that no two requests share a read. Two pages are read at the same time. */
function slowLists(count: number, signal: AbortSignal) {
  const headers = { 'x-api-key': api.tenant.key };
  return Array.from({ length: count }, (_, i) =>
    fetch(`${api.url}/v1/records/accounts?offset=${i}&domain=robotics.example`, { headers, signal }).catch(
      (error: unknown) => error,
    ),
  );
}

test('slow lists of one organization leave connections for another', async () => {
  const leaving = new AbortController();
  const lists: Promise<unknown>[] = [];
  {
    await using _ = await lockAccounts();
    lists.push(...slowLists(30, leaving.signal));
    await until(async () => expect(await countWaiting()).toBe(2));
    const { status } = await api.other.client('GET', `/v1/records/contacts/${api.other.ids.contact}`);
    expect(status).toBe(200);
    expect(await countWaiting()).toBe(2);
  }
  leaving.abort();
  await Promise.all(lists);
});

/** Starts look-ups that wait for the lock: the first alone, and all others as one batch. */
function slowLookups(count: number, signal: AbortSignal) {
  const headers = { 'x-api-key': api.tenant.key };
  const url = `${api.url}/v1/records/accounts/${api.tenant.ids.account}`;
  return Array.from({ length: count }, () => fetch(url, { headers, signal }).catch((error: unknown) => error));
}

test.each([
  ['a list', slowLists],
  ['look-ups', slowLookups],
])('the database stops working on %s once all their readers have left (found E)', async (_what, slow) => {
  await using _ = await lockAccounts();
  const leaving = new AbortController();
  const asked = slow(3, leaving.signal);
  // There may be one or two waiting statements, depending on whether the other organization was active just before.
  await until(async () => expect(await countWaiting()).toBeGreaterThan(0));
  leaving.abort();
  await until(async () => expect(await countWaiting()).toBe(0));
  await Promise.all(asked);
});
