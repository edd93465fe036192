import { type Bus, noopBus, operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiKey, findCaller, listApiKeys } from './api-key.sql.ts';
import { hashCredential } from './key-format.ts';
import { createKey, revokeKey, rotateKey, updateKey } from './key.operations.ts';
import { createOrganization } from './organization.sql.ts';

let db: TestDatabase;
let acme: ReturnType<typeof operatorActor>;
let globex: ReturnType<typeof operatorActor>;
beforeAll(async () => {
  db = await createTestDatabase();
  acme = operatorActor((await createOrganization(db.database, 'Acme')).id, 'test');
  globex = operatorActor((await createOrganization(db.database, 'Globex')).id, 'test');
});
afterAll(() => db[Symbol.asyncDispose]());

const quiet = () => ({ database: db.database, bus: noopBus });
const make = () => createKey(quiet(), acme, { kind: 'secret', scopes: ['chat'] });
const found = async (id: string) => (await listApiKeys(db.database, acme.orgId)).find((key) => key.id === id)!;

/** Creates a bus that reads a key with another connection whenever something is published. */
function lookingBus(id: string) {
  const seen: { message: unknown; key: ApiKey }[] = [];
  const bus: Bus = {
    ...noopBus,
    publish: async (_broadcast, message) => void seen.push({ message, key: await found(id) }),
  };
  return { seen, context: { database: db.database, bus } };
}

test('the hash of a revoked key is published once the revocation is committed', async () => {
  const { id, key } = await make();
  const { seen, context } = lookingBus(id);
  await revokeKey(context, acme, id);
  expect(seen).toMatchObject([{ message: { hash: hashCredential(key) }, key: { revoked_at: expect.any(String) } }]);
});

test('the hash of a rotated key is published once its expiry is committed', async () => {
  const { id, key } = await make();
  const { seen, context } = lookingBus(id);
  const { old, created } = await rotateKey(context, acme, { id, overlapMs: 0 });
  expect(seen).toMatchObject([{ message: { hash: hashCredential(key) }, key: { expires_at: old.expires_at } }]);
  expect(await findCaller(db.database, hashCredential(created.key))).toMatchObject({ orgId: acme.orgId });
});

test('a revoked key cannot be rotated, and nothing is published', async () => {
  const { id } = await make();
  await revokeKey(quiet(), acme, id);
  const { seen, context } = lookingBus(id);
  await expect(rotateKey(context, acme, { id, overlapMs: 0 })).rejects.toMatchObject({ code: 'conflict' });
  expect(seen).toEqual([]);
});

test('a key can be rotated only once, so that its successor stays valid; then the successor can be rotated', async () => {
  const { id } = await make();
  const { created } = await rotateKey(quiet(), acme, { id, overlapMs: 3_600_000 });
  await expect(rotateKey(quiet(), acme, { id, overlapMs: 3_600_000 })).rejects.toMatchObject({
    code: 'conflict',
    message: `The key ${id} was replaced by ${created.id}. Rotate that key instead.`,
  });
  const next = await rotateKey(quiet(), acme, { id: created.id, overlapMs: 3_600_000 });
  // Like the first key, the successor never expires: the overlap is not its lifetime.
  expect(next.created.expires_at).toBeNull();
  expect(await findCaller(db.database, hashCredential(created.key))).toBeDefined();
});

test("an actor can neither change another organization's key nor learn that it exists", async () => {
  const { id } = await make();
  const { seen, context } = lookingBus(id);
  await expect(revokeKey(context, globex, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(rotateKey(context, globex, { id, overlapMs: 0 })).rejects.toMatchObject({ code: 'not_found' });
  const origins = ['https://evil.example'];
  await expect(updateKey(context, globex, { id, origins })).rejects.toMatchObject({ code: 'not_found' });
  expect(seen).toEqual([]);
  expect(await found(id)).toMatchObject({ revoked_at: null, expires_at: null, origins: [] });
});

test.each([
  ['a secret key is not given origins', { kind: 'secret', scopes: ['chat'] }, ['https://a.example'], 'unknown_field'],
  [
    'a publishable key keeps its last origin',
    { kind: 'publishable', scopes: ['chat'], origins: ['https://a.example'] },
    [],
    'required',
  ],
] as const)('%s', async (_what, made, origins, code) => {
  const { id } = await createKey(quiet(), acme, made);
  const before = await found(id);
  const details = [{ in: 'body', field: 'origins', code }];
  await expect(updateKey(quiet(), acme, { id, origins })).rejects.toMatchObject({ code: 'validation_error', details });
  expect(await found(id)).toEqual(before);
});

test.each([
  ['a secret key with origins', { kind: 'secret', scopes: ['chat'], origins: ['https://example.com'] }, 'origins'],
  ['a publishable key without origins', { kind: 'publishable', scopes: ['chat'] }, 'origins'],
  [
    'a publishable key with another scope',
    { kind: 'publishable', scopes: ['records:read'], origins: ['https://example.com'] },
    'scopes',
  ],
  ['a key without a scope', { kind: 'secret', scopes: [] }, 'scopes'],
  ['a key that has expired', { kind: 'secret', scopes: ['chat'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
] as const)('%s is not created', async (_what, input, field) => {
  const before = await listApiKeys(db.database, acme.orgId);
  await expect(createKey(quiet(), acme, input)).rejects.toMatchObject({
    code: 'validation_error',
    details: [{ field }],
  });
  expect(await listApiKeys(db.database, acme.orgId)).toEqual(before);
});
