import { type Db, openDatabase, statement } from '@relata/db';
import { keyChanged, Messaging } from '@relata/messaging';
import { createTestDatabase, expectWithin, natsUrl, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-key.sql.ts';
import { generateCredential, hashCredential } from './key-format.ts';
import { CallerCache } from './caller-cache.ts';
import { createOrganization } from './organization.sql.ts';

let db: TestDatabase;
let orgId: string;

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
});
afterAll(() => db[Symbol.asyncDispose]());

const makeKey = (more: Partial<Parameters<typeof createApiKey>[2]> = {}) =>
  createApiKey(db.database, orgId, { name: 'test', kind: 'secret', scopes: ['records:read'], ...more });

async function openCallerCache(stack: AsyncDisposableStack, { on = db.database }: { on?: Db } = {}) {
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test' }));
  const callerCache = stack.use(new CallerCache({ db: on, messaging, onError: (error) => expect.fail(String(error)) }));
  await messaging.connected(60_000);
  return { callerCache, messaging };
}

test('a key yields its organization, scopes and expiry', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  const { key, id } = await makeKey({ expiresAt: '2999-01-01T00:00:00.000Z' });
  expect(await callerCache.identify(key)).toMatchObject({
    orgId,
    orgName: 'Acme',
    keyId: id,
    expiresAt: '2999-01-01T00:00:00.000Z',
  });
});

test('only the hash of a key is stored', async () => {
  const { key, id } = await makeKey();
  const whole = statement<{ row: string }>('', 'SELECT k::text AS row FROM api_keys k WHERE id = $1');
  const [stored] = await db.database.query(whole, [id]);
  expect(stored!.row).toContain(hashCredential(key));
  expect(stored!.row).not.toContain(key.slice(10, 30));
});

test('a cached key is found without the database', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  const { key } = await makeKey();
  await callerCache.identify(key);
  expect(callerCache.identify(key)).not.toBeInstanceOf(Promise);
});

test('a revoked key is refused on every replica within two seconds', async () => {
  await using stack = new AsyncDisposableStack();
  const [first, second] = [await openCallerCache(stack), await openCallerCache(stack)];
  const operator = stack.use(new Messaging({ url: natsUrl(), name: 'operator' }));
  await operator.connected(60_000);
  await expectWithin(2_000, async () => {
    const made = await makeKey();
    for (const { callerCache } of [first, second]) expect(await callerCache.identify(made.key)).toBeDefined();
    const revoked = await revokeApiKey(db.database, orgId, made.id);
    const revokedAt = performance.now();
    operator.publish(keyChanged, { hash: revoked!.key_hash });
    for (const { callerCache } of [first, second])
      await until(async () => expect(await callerCache.identify(made.key)).toBeUndefined());
    return performance.now() - revokedAt;
  });
});

test('a valid key is accepted even if a change of it is published during its look-up', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  const publisher = stack.use(new Messaging({ url: natsUrl(), name: 'publisher' }));
  await publisher.connected(60_000);
  for (let i = 0; i < 20; i++) {
    const { key } = await makeKey();
    const looking = callerCache.identify(key);
    for (let n = 0; n < 5; n++) publisher.publish(keyChanged, { hash: hashCredential(key) });
    expect(await looking).toBeDefined();
  }
});

test('a revocation that NATS does not carry takes effect within a few seconds', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  await expectWithin(6_000, async () => {
    const { key, id } = await makeKey();
    await callerCache.identify(key);
    expect(callerCache.identify(key)).not.toBeInstanceOf(Promise);
    await revokeApiKey(db.database, orgId, id);
    const revokedAt = performance.now();
    await until(async () => expect(await callerCache.identify(key)).toBeUndefined());
    return performance.now() - revokedAt;
  });
});

test('a caller that cannot be looked up again keeps its access while the database is unavailable or silent', async () => {
  await using stack = new AsyncDisposableStack();
  const silence = Promise.withResolvers<never>();
  let answer: (() => Promise<never>) | undefined;
  const on: Db = { query: (prepared, values) => answer?.() ?? db.database.query(prepared, values) };
  const { callerCache } = await openCallerCache(stack, { on });
  const { key, id } = await makeKey();
  await callerCache.identify(key);
  answer = () => Promise.reject(new Error('The database is away.'));
  await until(() => expect(callerCache.identify(key)).toBeInstanceOf(Promise));
  expect(await callerCache.identify(key)).toMatchObject({ keyId: id });
  answer = () => silence.promise;
  expect(await callerCache.identify(key)).toMatchObject({ keyId: id });
  silence.reject(new Error('The database is away.'));
  answer = undefined;
});

test('an expired key is refused, cached or not', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  // On a busy machine, the key may already have expired at its first look-up.
  const key = await until(async () => {
    const made = await makeKey({ expiresAt: new Date(Date.now() + 300).toISOString() });
    expect(await callerCache.identify(made.key)).toBeDefined();
    return made.key;
  });
  await until(async () => expect(await callerCache.identify(key)).toBeUndefined());
});

test('a rotated key works until the end of the overlap, and its successor at once', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  // On a busy machine, the old key may already have expired at its first look-up.
  const { made, rotated } = await until(async () => {
    const old = await makeKey({ scopes: ['chat', 'records:read'] });
    const both = await rotateApiKey(db.database, orgId, old.id, { overlapMs: 400 });
    for (const key of [old.key, both!.created.key]) expect(await callerCache.identify(key)).toBeDefined();
    return { made: old, rotated: both };
  });
  expect(rotated!.created.scopes).toEqual(['chat', 'records:read']);
  await until(async () => expect(await callerCache.identify(made.key)).toBeUndefined());
  expect(await callerCache.identify(rotated!.created.key)).toBeDefined();
});

test("another organization's key can be neither revoked nor rotated", async () => {
  const other = await createOrganization(db.database, 'Globex');
  const { id } = await makeKey();
  expect(await revokeApiKey(db.database, other.id, id)).toBeUndefined();
  expect(await rotateApiKey(db.database, other.id, id, { overlapMs: 0 })).toBeUndefined();
});

test('the last use of a key is written when the process stops', async () => {
  const { key, id } = await makeKey();
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  await callerCache.identify(key);
  await stack.disposeAsync();
  const noted = (await listApiKeys(db.database, orgId)).find((row: ApiKey) => row.id === id);
  expect(Date.now() - Date.parse(noted!.last_used_at!)).toBeLessThan(120_000);
});

test('an unavailable database is an error, and does not make a key unknown', async () => {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test' }));
  const away = stack.use(
    openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'test', connectTimeoutMs: 300 }),
  );
  const callerCache = new CallerCache({ db: away, messaging, onError: () => undefined });
  const { key } = await makeKey();
  await expect(callerCache.identify(key)).rejects.toThrow('ECONNREFUSED');
});

const tryMadeUp = (callerCache: CallerCache, count: number) =>
  Promise.all(Array.from({ length: count }, async () => callerCache.identify(generateCredential('secret'))));

test('invented keys evict no real key from the cache', async () => {
  await using stack = new AsyncDisposableStack();
  const { callerCache } = await openCallerCache(stack);
  const { key } = await makeKey();
  await callerCache.identify(key);
  for (let i = 0; i < 11_000; i += 500) await tryMadeUp(callerCache, 500);
  expect(callerCache.identify(key)).not.toBeInstanceOf(Promise);
});

test('invented keys use at most two connections, and are looked up many at a time', async () => {
  await using stack = new AsyncDisposableStack();
  let [statements, active, most] = [0, 0, 0];
  const counting: Db = {
    query: async (prepared, values) => {
      statements++;
      most = Math.max(most, ++active);
      return await db.database.query(prepared, values).finally(() => active--);
    },
  };
  const { callerCache } = await openCallerCache(stack, { on: counting });
  const { key, id } = await makeKey();
  const madeUp = tryMadeUp(callerCache, 1_000);
  expect(await callerCache.identify(key)).toMatchObject({ keyId: id });
  expect(new Set(await madeUp)).toEqual(new Set([undefined]));
  expect(most).toBeLessThanOrEqual(2);
  expect(statements).toBeLessThanOrEqual(20);
});

test('an unknown key is looked up once for many requests with it', async () => {
  await using stack = new AsyncDisposableStack();
  let statements = 0;
  const counting: Db = {
    query: (prepared, values) => {
      statements++;
      return db.database.query(prepared, values);
    },
  };
  const { callerCache } = await openCallerCache(stack, { on: counting });
  const key = generateCredential('secret');
  expect(await callerCache.identify(key)).toBeUndefined();
  for (let i = 0; i < 100; i++) expect(callerCache.identify(key)).toBeUndefined();
  expect(statements).toBe(1);
});
