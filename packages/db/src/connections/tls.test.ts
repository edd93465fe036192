import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@relata/runtime';
import { startSecurePostgres, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awaitSchema } from '../migrate/schema-version.ts';
import { migrateDatabase } from '../migrate/migrate.ts';
import { statement } from '../statement.ts';
import { isInDoubt, isUnavailable } from '../unavailable.ts';
import { openDatabase } from './database.ts';

const stack = new AsyncDisposableStack();
let server: Awaited<ReturnType<typeof startSecurePostgres>>;
beforeAll(async () => void (server = await startSecurePostgres(stack)));
afterAll(() => stack.disposeAsync());

const marker = 'a-value-that-nobody-reads-on-the-way';
const own = statement<{ ssl: boolean; version: string; marker: string }>(
  '',
  'SELECT ssl, version, $1::text AS marker FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
);
const sleep = statement<never>('', 'SELECT pg_sleep(30)');
const countSleeping = statement<{ n: number }>(
  '',
  "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(30)'",
);

const verified = (hostname = 'localhost', authority = server.authority) =>
  server.urlAt(hostname, `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`);

/** Functions that return the error of an app's first statement, and of a migration. */
const failures: Record<string, (url: string) => Promise<unknown>> = {
  'an app': async (url) => {
    await using database = openDatabase({ url, name: 'tls' });
    return await database.query(own, ['']).catch((error: unknown) => error);
  },
  'a migration': (url) => migrateDatabase({ url }).catch((error: unknown) => error),
};

test('migrations, statements and cancellations use TLS with a server that requires it', async () => {
  const url = verified();
  expect((await migrateDatabase({ url })).length).toBeGreaterThan(0);
  await using database = openDatabase({ url, name: 'tls' });
  expect(await database.query(own, [marker])).toEqual([
    { ssl: true, version: expect.stringMatching(/^TLSv1\.[23]$/), marker },
  ]);
  const leaving = new AbortController();
  const asleep = database.of('an organization', leaving.signal).query(sleep, []);
  await until(async () => expect(await database.query(countSleeping, [])).toEqual([{ n: 1 }]));
  leaving.abort(new Error('gone'));
  await expect(asleep).rejects.toThrow('gone');
  await until(async () => expect(await database.query(countSleeping, [])).toEqual([{ n: 0 }]));
  // One or two connections of the migration, two of the pool, and the cancellation.
  expect(server.encrypted().length).toBeGreaterThanOrEqual(4);
  expect(server.encrypted()).not.toContain(false);
  expect(server.seen()).not.toContain(marker);
});

test('if the certificate file is gone, cancelling a statement ends neither the process nor the pool', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-ca-'));
  try {
    const authority = join(folder, 'ca.pem');
    await copyFile(server.authority, authority);
    const url = verified('localhost', authority);
    await using database = openDatabase({ url, name: 'tls', statementTimeoutMs: 2_000 });
    await using other = openDatabase({ url: verified(), name: 'tls' });
    const leaving = new AbortController();
    await database.query(own, [marker]);
    await rm(authority);
    const asleep = database.of('an organization', leaving.signal).query(sleep, []);
    await until(async () => expect(await other.query(countSleeping, [])).toEqual([{ n: 1 }]));
    leaving.abort(new Error('gone'));
    await expect(asleep).rejects.toThrow('gone');
    expect(await database.query(own, [marker])).toMatchObject([{ marker }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.for(Object.entries(failures))('%s reports why it cannot connect', ([, failureAt]) => {
  test.for<[what: string, url: () => string, reason: RegExp]>([
    ['the certificate is of another authority', () => verified('localhost', server.stranger), /verify|self-signed/],
    ['the certificate is for another name', () => verified('127.0.0.1'), /does not match.* 127\.0\.0\.1 is not in/],
    ['Node does not know the authority', () => server.urlAt('localhost', 'sslmode=verify-full'), /verify/],
    ['the server insists on TLS', () => server.urlAt('localhost', 'sslmode=disable'), /no encryption/],
    ['the certificate file is missing', () => verified('localhost', '/nowhere/ca.pem'), /ENOENT.*'\/nowhere\/ca\.pem'/],
  ])('%s', async ([, urlOf, reason]) => {
    expect(await failureAt(urlOf())).toMatchObject({ message: expect.stringMatching(reason) });
  });

  test('the server has no TLS, and is sent nothing', async () => {
    const received: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes);
        socket.write('N');
      });
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const failure = await failureAt(`postgres://relata:secret@localhost:${port}/relata?sslmode=verify-full`);
    plain.close();
    expect(failure).toMatchObject({ message: 'The server does not support SSL connections' });
    // The request for TLS has eight bytes.
    expect(Buffer.concat(received)).toHaveLength(8);
  });
});

test('a refused connection stops a start at once, and later counts as an outage instead of a failed statement', async () => {
  await using database = openDatabase({ url: verified('localhost', server.stranger), name: 'tls' });
  const refused = await database.query(own, ['']).catch((error: unknown) => error);
  expect([isUnavailable(refused), isInDoubt(refused)]).toEqual([true, false]);
  using log = createLog({ name: 'test', level: 'silent' });
  await expect(awaitSchema(database, { log, signal: AbortSignal.timeout(20_000) })).rejects.toThrow(/verify/);
});
