import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { binaryStatement, plannedStatement, statement } from '../statement.ts';
import { isoTimestamp } from './types.ts';
import { isInDoubt, isUnavailable } from '../unavailable.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

const ask = async (sql: string, values: unknown[] = []) =>
  (await db.database.query(statement<Record<string, unknown>>('', sql), values))[0]!;

test('returns values in the format of the API', async () => {
  const row = await ask(`SELECT '2026-01-31T09:30:00.12+02:00'::timestamptz(3) AS at, 12.5000::numeric(19,4) AS amount,
    9007199254740991::bigint AS big, '{}'::text[] AS none, ARRAY['a,b', '"', NULL]::text[] AS some, ARRAY[gen_random_uuid()] AS ids`);
  expect(row).toMatchObject({
    at: '2026-01-31T07:30:00.120Z',
    amount: 12.5,
    big: 9_007_199_254_740_991,
    none: [],
    some: ['a,b', '"', null],
  });
  expect(row['ids']).toHaveLength(1);
});

test('a binary statement returns text and bytes unchanged, and refuses any other type', async () => {
  const read = (sql: string) =>
    db.database.query(binaryStatement<Record<string, unknown>>(`test.${sql}`.slice(0, 60), sql), []);
  const sent = '{"name":"Åsa 大阪"}';
  const [row] = await read(`SELECT convert_to('${sent}', 'UTF8') AS body, now()::text AS at, NULL::bytea AS none`);
  expect(row).toEqual({ body: Buffer.from(sent), at: expect.stringMatching(/^20/), none: null });
  await expect(read('SELECT gen_random_uuid() AS id')).rejects.toThrow('neither text nor bytes');
  expect(await ask('SELECT 1 AS one')).toEqual({ one: 1 });
});

test('the settings of a planned statement apply only to that statement', async () => {
  const shown = `SELECT current_setting('plan_cache_mode') AS plan, current_setting('enable_seqscan') AS scan, $1::int AS n`;
  const { scanOf, of, query } = db.database;
  const organization = crypto.randomUUID();
  const planned = plannedStatement<{ plan: string; scan: string; n: number }>('test.planned', shown);
  const never = new AbortController().signal;
  for (const on of [{ query }, of(organization), scanOf(organization, never)]) {
    expect(await on.query(planned, [7])).toEqual([{ plan: 'force_custom_plan', scan: 'off', n: 7 }]);
    expect(await on.query(statement('', shown), [8])).toEqual([{ plan: 'force_generic_plan', scan: 'on', n: 8 }]);
    await expect(on.query(plannedStatement('test.broken', 'SELECT 1 / $1::int'), [0])).rejects.toThrow('zero');
    expect(await on.query(statement('', shown), [9])).toEqual([{ plan: 'force_generic_plan', scan: 'on', n: 9 }]);
  }
});

test('an error of a planned statement leaves its connection open', async () => {
  await using database = openDatabase({ url: db.url, name: 'test', poolMax: 1 });
  const pid = statement<{ pid: number }>('', 'SELECT pg_backend_pid() AS pid');
  const before = await database.query(pid, []);
  await expect(database.query(plannedStatement('test.broken', 'SELECT 1 / $1::int'), ['x'])).rejects.toThrow('syntax');
  expect(await database.query(pid, [])).toEqual(before);
});

test.each([
  ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31 09:30:00.1+00', '2026-01-31T09:30:00.100Z'],
  ['0001-01-01 00:00:00.007+00', '0001-01-01T00:00:00.007Z'],
])('%s is %s', (printed, iso) => expect(isoTimestamp(printed)).toBe(iso));

test('a transaction that throws leaves nothing, and its connection can be used again', async () => {
  const orgs = () => ask('SELECT count(*) AS n FROM organizations');
  const failing = db.database.transaction(async (on) => {
    await on.query(statement('', `INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'x')`), []);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect((await orgs())['n']).toBe(0);
  expect(db.database.pressure()).toMatchObject({ waiting: 0 });
});

test('a row cannot refer to another organization, whatever the code does', async () => {
  const make = async () =>
    (await ask(`INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'x') RETURNING id`))['id'];
  const [mine, theirs] = [await make(), await make()];
  const account = await ask(
    `INSERT INTO accounts (org_id, id, account_name) VALUES ($1, gen_random_uuid(), 'a') RETURNING id`,
    [theirs],
  );
  const pointing = ask(
    `INSERT INTO opportunities (org_id, id, opportunity_name, account_id) VALUES ($1, gen_random_uuid(), 'o', $2)`,
    [mine, account['id']],
  );
  await expect(pointing).rejects.toThrow('opportunities_account_id');
});

test('totals stay exact through concurrent inserts, deletes and rollbacks', async () => {
  const { id: org } = await ask(`INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'x') RETURNING id`);
  const insert = statement(
    '',
    `INSERT INTO contacts (org_id, id, first_name, last_name)
    SELECT $1, gen_random_uuid(), 'a', 'b' FROM generate_series(1, $2::int)`,
  );
  const remove = statement(
    '',
    'DELETE FROM contacts WHERE id IN (SELECT id FROM contacts WHERE org_id = $1 LIMIT 3 FOR UPDATE SKIP LOCKED)',
  );
  const work = (i: number) =>
    db.database.transaction(async (on) => {
      await on.query(insert, [org, i % 7]);
      if (i % 3 === 0) await on.query(remove, [org]);
      if (i % 5 === 0) throw new Error('rolled back');
    });
  await Promise.allSettled(Array.from({ length: 100 }, (_, i) => work(i)));
  const kept = await ask(
    `SELECT coalesce(sum(n), 0)::bigint AS n FROM record_counts WHERE org_id = $1 AND resource = 'contacts'`,
    [org],
  );
  const counted = await ask('SELECT count(*) AS n FROM contacts WHERE org_id = $1', [org]);
  expect(counted['n']).toBeGreaterThan(0);
  expect(kept).toEqual(counted);
});

test('the connection to a server that stops answering is closed, and the next statement gets a new one', async () => {
  await using stack = new AsyncDisposableStack();
  const silence = stack.use(await silentProxy(db.url));
  const database = stack.use(openDatabase({ url: silence.url, name: 'test', statementTimeoutMs: 100, poolMax: 1 }));
  const one = statement<{ n: number }>('', 'SELECT 1 AS n');
  expect(await database.query(one, [])).toEqual([{ n: 1 }]);
  silence.fall();
  const error = await database.query(one, []).catch((thrown: unknown) => thrown);
  expect(isUnavailable(error)).toBe(true);
  silence.end();
  expect(await database.query(one, [])).toEqual([{ n: 1 }]);
});

/** Starts a proxy to the server that can discard all data without closing the connection. */
async function silentProxy(serverUrl: string) {
  const { hostname, port } = new URL(serverUrl);
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (isSilent || to.write(bytes)));
      from.on('close', () => to.destroy()).on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    fall: () => (isSilent = true),
    end: () => (isSilent = false),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a connection that breaks between two statements of a transaction fails only that transaction', async () => {
  await using test = await createTestDatabase();
  const ownPid = statement<{ pid: number }>('test.own_pid', 'SELECT pg_backend_pid() AS pid');
  const end = statement<never>('test.end', 'SELECT pg_terminate_backend($1)');
  const broken = test.database.transaction(async (db) => {
    const [own] = await db.query(ownPid, []);
    await test.database.query(end, [own!.pid]);
    // Waits until the client has noticed that the connection ended.
    await until(async () => {
      await expect(db.query(ownPid, [])).rejects.toThrow(/connection/i);
    });
    await db.query(ownPid, []);
  });
  await expect(broken).rejects.toSatisfy(isUnavailable);
  expect(await test.database.query(ownPid, [])).toHaveLength(1);
});

describe('a statement that failed', () => {
  const failure = (fields: object) => Object.assign(new Error('Connection terminated unexpectedly'), fields);

  test('a failed statement is in doubt if its connection broke', () => {
    for (const error of [failure({}), failure({ code: 'ECONNRESET', syscall: 'read' }), failure({ code: '57P01' })])
      expect(isInDoubt(error)).toBe(true);
  });

  test('a failed statement is not in doubt if there was no connection, or if the server rolled it back', async () => {
    for (const error of [failure({ code: '40P01' }), failure({ code: '57014' }), failure({ code: '23503' })])
      expect(isInDoubt(error)).toBe(false);
    // The connection is accepted, and reset before the first byte: the error looks like that of a connection that broke
    // later.
    const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using away = openDatabase({ url: `postgres://relata@127.0.0.1:${port}/relata`, name: 'test' });
    const error = await away.query(statement('', 'SELECT'), []).catch((thrown: unknown) => thrown);
    server.close();
    expect([isUnavailable(error), isInDoubt(error)]).toEqual([true, false]);
  });
});
