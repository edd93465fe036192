import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCaller, hashCredential, listApiKeys, revokeKey, rotateKey } from '@relata/auth';
import { type Database, openDatabase } from '@relata/db';
import { type PostgresServer, startPostgres } from '@relata/embedded';
import { noopBus, type OperationContext, operatorActor } from '@relata/events';
import { copyPreparedPostgres } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from './demo.ts';
import type { KeptOrganization } from './demo-file.ts';

let folder: string;
let file: string;
let server: PostgresServer;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-demo-'));
  file = join(folder, 'demo.json');
  const dataDir = join(folder, 'postgres');
  await copyPreparedPostgres(dataDir);
  server = await startPostgres({ dataDir });
  database = openDatabase({ url: server.url, name: 'relata-test', poolMax: 1 });
});

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const ensure = (port: number) =>
  ensureDemo({ databaseUrl: server.url, file, baseUrl: new URL(`http://127.0.0.1:${port}`).origin });
const kept = async () => JSON.parse(await readFile(file, 'utf8')) as KeptOrganization[];
const callerOf = (key = '') => findCaller(database, hashCredential(key));

/** Writes the files of an earlier start. */
async function keep(change: (acme: KeptOrganization) => void): Promise<void> {
  const organizations = await kept();
  change(organizations[0]!);
  await writeFile(file, JSON.stringify(organizations));
}

// The tests run one after the other on the same data, like real starts.
test("Acme's publishable key is accepted for the chat only on the two host names of this machine", async () => {
  const [acme, globex] = await ensure(8080);
  expect(await callerOf(acme?.keys.publishable)).toMatchObject({
    orgId: acme?.id,
    kind: 'publishable',
    scopes: new Set(['chat']),
    origins: ['http://127.0.0.1:8080', 'http://localhost:8080'],
  });
  expect(globex?.keys).not.toHaveProperty('publishable');
});

test('the id of the key is kept in a file that only its owner can read, and is not returned', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await kept())[0]?.key_ids).toEqual({ publishable: expect.any(String) });
  expect((await ensure(8080))[0]).not.toHaveProperty('key_ids');
});

test('a start at a different port keeps the key, and changes its origins', async () => {
  const [before] = await ensure(8080);
  const [after] = await ensure(80);
  expect(after?.keys).toEqual(before?.keys);
  expect((await callerOf(after?.keys.publishable))?.origins).toEqual(['http://127.0.0.1', 'http://localhost']);
  expect(after?.triggers?.[0]?.url).toContain('http://127.0.0.1/webhooks/trigger/');
});

test('a demo of an older release gets the missing key, and nothing else changes', async () => {
  const [before] = await ensure(8080);
  await keep((acme) => {
    delete acme.keys.publishable;
    delete acme.key_ids;
  });
  const [after] = await ensure(8080);
  expect(after?.keys.publishable).not.toBe(before?.keys.publishable);
  expect((await callerOf(after?.keys.publishable))?.orgId).toBe(before?.id);
  expect({ ...after?.keys, publishable: '' }).toEqual({ ...before?.keys, publishable: '' });
});

test('a key in the file of a killed start that never reached the database is replaced by a valid key', async () => {
  await keep((acme) => {
    acme.keys.publishable = 'relata_pk_never';
    acme.key_ids = { publishable: acme.id };
  });
  const [acme] = await ensure(8080);
  expect((await callerOf(acme?.keys.publishable))?.kind).toBe('publishable');
  expect((await kept())[0]?.keys.publishable).toBe(acme?.keys.publishable);
});

test.each<[string, (...given: Parameters<typeof revokeKey>) => Promise<unknown>]>([
  ['was revoked', revokeKey],
  ['was rotated', (context, actor, id) => rotateKey(context, actor, { id, overlapMs: 0 })],
  ['expires in a day', (context, actor, id) => rotateKey(context, actor, { id, overlapMs: 86_400_000 })],
])('a key that %s is replaced once by a new key, which does not expire', async (_, end) => {
  const [before] = await ensure(8080);
  const context: OperationContext = { database, bus: noopBus };
  await end(context, operatorActor(before!.id, 'test'), (await kept())[0]!.key_ids!.publishable);
  const [after] = await ensure(8080);
  expect(after?.keys.publishable).not.toBe(before?.keys.publishable);
  expect(await callerOf(after?.keys.publishable)).toMatchObject({
    orgId: before?.id,
    origins: ['http://127.0.0.1:8080', 'http://localhost:8080'],
    expiresAt: null,
  });
  expect((await ensure(8080))[0]?.keys).toEqual(after?.keys);
});

test('a start creates no key if all keys exist', async () => {
  const [acme] = await ensure(8080);
  const before = await listApiKeys(database, acme!.id);
  await ensure(8080);
  expect(await listApiKeys(database, acme!.id)).toEqual(before);
});

test('organizations of another database stay in the file, since their keys cannot be made again', async () => {
  const [acme, ...others] = await kept();
  const foreign = { ...acme!, id: '019759d8-5b2c-7c3f-9c43-222222222222' };
  await writeFile(file, JSON.stringify([foreign, acme, ...others]));
  expect((await ensure(8080)).map(({ id }) => id)).not.toContain(foreign.id);
  expect(await kept()).toContainEqual(foreign);
});

test('a database with its own data gets no demo, and the stored demo of another database is kept', async () => {
  const before = await kept();
  await keep((acme) => void (acme.id = '019759d8-5b2c-7c3f-9c43-111111111111'));
  await writeFile(file, JSON.stringify((await kept()).slice(0, 1)));
  expect(await ensure(8080)).toEqual([]);
  expect((await kept())[0]?.keys).toEqual(before[0]?.keys);
});
