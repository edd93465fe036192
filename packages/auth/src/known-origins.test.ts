import type { Db } from '@relata/db';
import { keyChanged, Messaging } from '@relata/messaging';
import { createTestDatabase, natsUrl, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from './api-key.sql.ts';
import { KnownOrigins } from './known-origins.ts';
import { createOrganization } from './organization.sql.ts';

let db: TestDatabase;
let orgId: string;
const prefix = 'known-origins';

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
});
afterAll(() => db[Symbol.asyncDispose]());

const makeKey = (origin: string) =>
  createApiKey(db.database, orgId, { name: 'site', kind: 'publishable', scopes: ['chat'], origins: [origin] });

async function open(stack: AsyncDisposableStack, on: Db = db.database) {
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test', prefix }));
  await messaging.connected(60_000);
  return { messaging, origins: new KnownOrigins(on, messaging) };
}

test('an origin is known as soon as a key has it, and unknown once the revocation of this key is published', async () => {
  await using stack = new AsyncDisposableStack();
  const { origins } = await open(stack);
  const { messaging } = await open(stack);
  expect(await origins.has('https://a.example')).toBe(false);
  const { id } = await makeKey('https://a.example');
  await until(async () => expect(await origins.has('https://a.example')).toBe(true));
  const revoked = await revokeApiKey(db.database, orgId, id);
  expect(await origins.has('https://a.example')).toBe(true);
  messaging.publish(keyChanged, { hash: revoked!.key_hash });
  await until(async () => expect(await origins.has('https://a.example')).toBe(false));
});

test('a thousand unknown origins cost fewer than ten statements', async () => {
  await using stack = new AsyncDisposableStack();
  let statements = 0;
  const counting: Db = {
    query: (prepared, values) => {
      statements++;
      return db.database.query(prepared, values);
    },
  };
  const { origins } = await open(stack, counting);
  const asked = Array.from({ length: 1_000 }, (_, at) => origins.has(`https://${at}.example`));
  expect(await Promise.all(asked)).not.toContain(true);
  expect(statements).toBeLessThan(10);
});

test('while the database is unavailable, known origins stay known, and before the first look-up there is an error', async () => {
  await using stack = new AsyncDisposableStack();
  await makeKey('https://b.example');
  let isAway = false;
  const leaving: Db = {
    query: (prepared, values) => (isAway ? Promise.reject(new Error('away')) : db.database.query(prepared, values)),
  };
  const { origins, messaging } = await open(stack, leaving);
  expect(await origins.has('https://b.example')).toBe(true);
  isAway = true;
  const { messaging: other } = await open(stack);
  other.publish(keyChanged, { hash: '' });
  await until(() => expect(messaging.isConnected).toBe(true));
  expect(await origins.has('https://b.example')).toBe(true);
  expect(await origins.has('https://c.example')).toBe(false);
  const { origins: fresh } = await open(stack, leaving);
  await expect(fresh.has('https://b.example')).rejects.toThrow('away');
});
