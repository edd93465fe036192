import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { statement } from '../statement.ts';
import { isUnavailable } from '../unavailable.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

const sleep = statement<never>('', 'SELECT pg_sleep($1)');
const one = statement<{ n: number }>('', 'SELECT 1 AS n');
const write = statement<never>('', "INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'left behind')");
const countWritten = statement<{ n: number }>('', "SELECT count(*) AS n FROM organizations WHERE name = 'left behind'");
const sleeping = statement<{ n: number }>(
  '',
  `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND query LIKE '%pg_sleep%'`,
);

/** Opens a separate pool, identified by its name. */
function open(name: string, connectTimeoutMs = 20_000) {
  return openDatabase({ url: db.url, name, poolMax: 4, connectTimeoutMs, statementTimeoutMs: 60_000 });
}

/** Returns how many connections of a pool are sleeping in the server. */
async function countSleeping(name: string): Promise<number> {
  return (await db.database.query(sleeping, [name]))[0]!.n;
}

/** Sleeps on behalf of an organization until the signal is aborted. */
function sleepOn(database: Database, orgId: string, count: number, signal: AbortSignal) {
  return Array.from({ length: count }, () =>
    database
      .of(orgId, signal)
      .query(sleep, [30])
      .catch((error: unknown) => error),
  );
}

test('one organization holds at most half of the connections, and another gets one at once', async () => {
  await using database = open('half');
  const leaving = new AbortController();
  const asleep = sleepOn(database, 'a', 12, leaving.signal);
  await until(async () => expect(await countSleeping('half')).toBe(2));
  expect(await database.of('b').query(one, [])).toEqual([{ n: 1 }]);
  expect(await countSleeping('half')).toBe(2);
  leaving.abort(new Error('gone'));
  await Promise.all(asleep);
});

test.for([
  { others: 'no other', sleeps: 2, waits: 2 },
  { others: 'another', sleeps: 1, waits: 3 },
])(
  'an organization runs $sleeps of 4 scans at once while $others organization is active',
  async ({ others, sleeps, waits }) => {
    await using database = openDatabase({ url: db.url, name: `scans beside ${others}`, poolMax: 12, scansMax: 4 });
    const leaving = new AbortController();
    const asked = others === 'another' ? database.of('b').query(one, []) : undefined;
    const asleep = Array.from({ length: 4 }, () =>
      database
        .scanOf('a', leaving.signal)
        .query(sleep, [30])
        .catch((error: unknown) => error),
    );
    await until(() => expect(database.pressure().waiting).toBe(waits));
    await until(async () => expect(await countSleeping(`scans beside ${others}`)).toBe(sleeps));
    await asked;
    leaving.abort(new Error('gone'));
    await Promise.all(asleep);
  },
);

test('all statements of one slot run before the next caller gets the slot', async () => {
  await using database = openDatabase({ url: db.url, name: 'one slot', scansMax: 1 });
  const order: string[] = [];
  const read = (name: string) =>
    database.scanOf('a').inOneSlot(async (inSlot) => {
      for (let i = 0; i < 3; i++) order.push(`${name}${(await inSlot.query(one, []))[0]!.n}`);
    });
  await Promise.all([read('x'), read('y')]);
  expect(order).toEqual(['x1', 'x1', 'x1', 'y1', 'y1', 'y1']);
});

test('a query whose caller gives up is cancelled in the server, and its connection can be used again', async () => {
  await using database = open('cancelled');
  const leaving = new AbortController();
  const asleep = sleepOn(database, 'a', 2, leaving.signal);
  await until(async () => expect(await countSleeping('cancelled')).toBe(2));
  leaving.abort(new Error('gone'));
  expect(await Promise.all(asleep)).toEqual([new Error('gone'), new Error('gone')]);
  await until(async () => expect(await countSleeping('cancelled')).toBe(0));
  const { total } = database.pressure();
  expect(await Promise.all([1, 2].map(() => database.of('a').query(one, [])))).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  expect(database.pressure()).toMatchObject({ total, waiting: 0 });
});

test('a query that is given up while it waits for its share is never sent', async () => {
  await using database = open('unsent');
  const [staying, leaving] = [new AbortController(), new AbortController()];
  const asleep = sleepOn(database, 'a', 2, staying.signal);
  const unsent = sleepOn(database, 'a', 1, leaving.signal);
  await until(() => expect(database.pressure().waiting).toBe(1));
  leaving.abort(new Error('gone'));
  expect(await unsent[0]).toEqual(new Error('gone'));
  expect(database.pressure().waiting).toBe(0);
  staying.abort(new Error('gone'));
  await Promise.all(asleep);
});

test('a statement that ends while it is being cancelled does not affect any other', async () => {
  await using database = open('race');
  const tries = Array.from({ length: 200 }, async (_, i) => {
    const signal = AbortSignal.timeout(i % 7);
    const racing = database.of(`org ${i % 5}`, signal).query(sleep, [0.003]);
    await racing.catch(() => undefined);
    return database.of(`org ${i % 5}`).query(one, []);
  });
  expect(await Promise.all(tries)).toEqual(tries.map(() => [{ n: 1 }]));
});

test('waiting too long for a share fails as unavailable, like waiting for a connection', async () => {
  await using database = open('late', 2_000);
  const leaving = new AbortController();
  const asleep = sleepOn(database, 'a', 2, leaving.signal);
  await until(async () => expect(await countSleeping('late')).toBe(2));
  const late = await database
    .of('a')
    .query(one, [])
    .catch((error: unknown) => error);
  expect(isUnavailable(late)).toBe(true);
  leaving.abort(new Error('gone'));
  await Promise.all(asleep);
});

test('transactions count towards the share like single statements', async () => {
  await using database = open('transactions');
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = ['a', 'a', 'a'].map((orgId) => database.of(orgId).transaction(() => promise));
  await until(() => expect(database.pressure()).toMatchObject({ waiting: 1 }));
  expect(await database.of('b').query(one, [])).toEqual([{ n: 1 }]);
  resolve();
  await Promise.all(held);
});

test('only a few scans run at once, and waiting scans hold no connection', async () => {
  await using database = openDatabase({ url: db.url, name: 'scans', statementTimeoutMs: 60_000 });
  const leaving = new AbortController();
  const scans = Array.from({ length: 12 }, () =>
    database
      .scanOf('a', leaving.signal)
      .query(sleep, [30])
      .catch((error: unknown) => error),
  );
  await until(async () => expect(await countSleeping('scans')).toBe(2));
  const others = Array.from({ length: 7 }, () => database.of('a').query(one, []));
  expect(await Promise.all(others)).toEqual(others.map(() => [{ n: 1 }]));
  expect(await database.scanOf('b').query(one, [])).toEqual([{ n: 1 }]);
  expect(await countSleeping('scans')).toBe(2);
  leaving.abort(new Error('gone'));
  await Promise.all(scans);
});

test('an organization runs two bulk transactions at once, and its other work does not wait', async () => {
  await using database = openDatabase({ url: db.url, name: 'bulk', statementTimeoutMs: 60_000 });
  let started = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const bulks = Array.from({ length: 8 }, () =>
    database.bulkOf('a').transaction(async (tx) => {
      started++;
      await tx.query(one, []);
      await released;
    }),
  );
  await until(() => expect(started).toBe(2));
  expect(await Promise.all(Array.from({ length: 8 }, () => database.of('a').query(one, [])))).toHaveLength(8);
  await database.bulkOf('b').transaction((tx) => tx.query(one, []));
  expect([started, database.pressure().waiting]).toEqual([2, 6]);
  expect(database.waited()).toBe(6);
  release();
  await Promise.all(bulks);
  expect(started).toBe(8);
});

test('while other organizations are active, an organization runs one bulk transaction at a time', async () => {
  await using database = openDatabase({ url: db.url, name: 'bulk beside others', statementTimeoutMs: 60_000 });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let started = 0;
  await Promise.all([database.of('a').query(one, []), database.of('b').query(one, [])]);
  const bulks = [1, 2].map(() => database.bulkOf('a').transaction(() => (started++, released)));
  await until(() => expect(started).toBe(1));
  await database.bulkOf('b').transaction((tx) => tx.query(one, []));
  const seen = [started, database.pressure().waiting];
  release();
  await Promise.all(bulks);
  expect([...seen, started]).toEqual([1, 1, 2]);
});

test('a transaction whose caller gives up is cancelled in the server and rolled back, and its connection can be used again', async () => {
  await using database = open('cancelled transaction');
  const leaving = new AbortController();
  const statements: string[] = [];
  const asleep = database
    .bulkOf('a', leaving.signal)
    .transaction(async (tx) => {
      await tx.query(write, []);
      await tx.query(sleep, [30]).catch(() => statements.push('cancelled'));
      await tx.query(one, []);
      statements.push('after');
    })
    .catch((error: unknown) => error);
  await until(async () => expect(await countSleeping('cancelled transaction')).toBe(1));
  leaving.abort(new Error('gone'));
  expect(await asleep).toEqual(new Error('gone'));
  expect(await countSleeping('cancelled transaction')).toBe(0);
  expect(statements).toEqual(['cancelled']);
  const { total } = database.pressure();
  expect(await database.of('a').query(countWritten, [])).toEqual([{ n: 0 }]);
  expect(database.pressure()).toMatchObject({ total, waiting: 0 });
});
