import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { statement } from '../statement.ts';
import { isUnavailable } from '../unavailable.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

const one = statement<unknown>('test.one', 'SELECT 1 AS n');
const sleep = statement<never>('test.sleep', 'SELECT pg_sleep($1)');
const countSleeping = statement<{ n: number }>(
  'test.count_sleeping',
  "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
);

/** An upper limit, not the expected time: a busy machine can stall for seconds. */
const connectTimeoutMs = 30_000;

/** Starts a proxy to the server. Connections wait at the proxy until it is opened. */
async function gateTo(serverUrl: string) {
  const { hostname, port } = new URL(serverUrl);
  let gate = Promise.withResolvers<void>();
  let arrived = 0;
  let isRefused = false;
  const server = createServer((near) => {
    arrived++;
    if (isRefused) return near.destroy();
    near.on('error', () => undefined);
    void gate.promise.then(() => {
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      far.on('close', () => near.destroy()).on('error', () => undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    arrived: () => arrived,
    open: () => gate.resolve(),
    refuse: (is = true) => (isRefused = is),
    shut: () => (gate = Promise.withResolvers()),
    [Symbol.dispose]: () => void server.close(),
  };
}

test('a burst opens one connection first, then two at a time, up to the maximum', async () => {
  using gate = await gateTo(db.url);
  await using database = openDatabase({ url: gate.url, name: 'test', poolMax: 5, connectTimeoutMs });
  const burst = Array.from({ length: 12 }, () => database.query(sleep, [0.05]));
  await until(() => expect(gate.arrived()).toBe(3));
  expect(database.pressure()).toMatchObject({ total: 3, waiting: 11 });
  gate.open();
  await Promise.all(burst);
  expect(gate.arrived()).toBe(5);
  // The last connection may still be opening when the others have answered all statements.
  await until(() => expect(database.pressure()).toEqual({ total: 5, idle: 5, waiting: 0 }));
});

test('a statement uses a connection that becomes free while others are being opened', async () => {
  using gate = await gateTo(db.url);
  await using database = openDatabase({ url: gate.url, name: 'test', connectTimeoutMs });
  gate.open();
  await database.query(one, []);
  gate.shut();
  const burst = Array.from({ length: 10 }, () => database.query(one, []));
  expect(await Promise.all(burst)).toHaveLength(10);
  expect(database.pressure()).toMatchObject({ total: 3, idle: 1, waiting: 0 });
  gate.open();
  await until(() => expect(database.pressure()).toMatchObject({ idle: 3 }));
});

test('if the server refuses another connection, statements wait for the open ones', async () => {
  using gate = await gateTo(db.url);
  await using database = openDatabase({ url: gate.url, name: 'test', connectTimeoutMs });
  gate.open();
  await database.query(one, []);
  gate.refuse();
  const burst = Array.from({ length: 20 }, () => database.query(one, []));
  expect(await Promise.all(burst)).toHaveLength(20);
  await until(() => expect(gate.arrived()).toBe(3));
  await Promise.all(Array.from({ length: 20 }, () => database.query(one, [])));
  // Later statements make no further attempts to connect, either.
  expect(gate.arrived()).toBe(3);
});

test('a waiting statement uses a new connection once the server accepts one again', async () => {
  using gate = await gateTo(db.url);
  await using database = openDatabase({ url: gate.url, name: 'test', connectTimeoutMs });
  gate.open();
  await database.query(one, []);
  gate.refuse();
  const ended: string[] = [];
  const leaving = new AbortController();
  const asleep = database.of('an organization', leaving.signal).query(sleep, [30]);
  const long = asleep.catch(() => ended.push('long'));
  const short = database.query(one, []).then(() => ended.push('short'));
  await until(() => expect(gate.arrived()).toBe(2));
  gate.refuse(false);
  await short;
  leaving.abort();
  await long;
  expect(ended).toEqual(['short', 'long']);
});

test('a statement is cancelled in the server also over a Unix socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-socket-'));
  const { hostname, port, pathname, username, password } = new URL(db.url);
  const socket = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on('error', () => (near.destroy(), far.destroy()));
  });
  await new Promise<void>((resolve) => socket.listen(join(folder, '.s.PGSQL.5432'), resolve));
  try {
    const url = `postgres://${username}:${password}@${encodeURIComponent(folder)}:5432${pathname}`;
    await using database = openDatabase({ url, name: 'test', statementTimeoutMs: 600_000 });
    const leaving = new AbortController();
    const asleep = database.of('an organization', leaving.signal).query(sleep, [600]);
    await until(async () => expect(await database.query(countSleeping, [])).toEqual([{ n: 1 }]));
    leaving.abort(new Error('gone'));
    await expect(asleep).rejects.toThrow('gone');
  } finally {
    socket.close();
    await rm(folder, { recursive: true });
  }
});

test('a lost connection is replaced, even for statements that were already waiting', async () => {
  await using database = openDatabase({ url: db.url, name: 'test', poolMax: 2 });
  const lost = statement<unknown>('', 'SELECT pg_terminate_backend(pg_backend_pid())');
  await Promise.allSettled([database.query(lost, []), database.query(lost, [])]);
  const burst = [lost, lost, one, one, one].map((each) => database.query(each, []));
  const outcomes = await Promise.allSettled(burst);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
    ...Array<string>(3).fill('fulfilled'),
    ...Array<string>(2).fill('rejected'),
  ]);
});

test('if the certificate file cannot be read, statements fail and the process continues', async () => {
  const url = new URL(db.url);
  url.search = '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
  await using database = openDatabase({ url: url.href, name: 'test' });
  const burst = await Promise.allSettled(Array.from({ length: 5 }, () => database.query(one, [])));
  for (const { reason } of burst as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ message: expect.stringContaining('/nowhere/ca.pem') });
    expect(isUnavailable(reason)).toBe(true);
  }
});

test('if the server cannot be reached, every statement fails at once with the reason', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  await using database = openDatabase({ url: `postgres://relata@127.0.0.1:${port}/relata`, name: 'test' });
  const burst = Array.from({ length: 20 }, () => database.query(one, []));
  for (const { status, reason } of (await Promise.allSettled(burst)) as PromiseRejectedResult[])
    expect([status, isUnavailable(reason)]).toEqual(['rejected', true]);
  await until(() => expect(database.pressure()).toEqual({ total: 0, idle: 0, waiting: 0 }));
});
