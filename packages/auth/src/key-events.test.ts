import { statement } from '@relata/db';
import { type Actor, organizationActor, noopBus, type OperationContext } from '@relata/events';
import { createTestDatabase, type TestDatabase, failingAtCommit } from '@relata/testing';
import { afterAll, beforeEach, beforeAll, expect, test } from 'vitest';
import { listApiKeys } from './api-key.sql.ts';
import { hashCredential } from './key-format.ts';
import { createKey, revokeKey, rotateKey, updateKey } from './key.operations.ts';
import { createOrganization } from './organization.sql.ts';

let db: TestDatabase;
let acme: Actor;
let globex: Actor;

const userIn = (orgId: string): Actor =>
  organizationActor({ kind: 'user', userId: 'ada', name: 'Ada', requestId: 'clicked' }, orgId);

beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => {
  acme = userIn((await createOrganization(db.database, 'Acme')).id);
  globex = userIn((await createOrganization(db.database, 'Globex')).id);
});
afterAll(() => db[Symbol.asyncDispose]());

const select = statement<Record<string, unknown>>(
  'test.events',
  'SELECT type, record_id, actor, request_id, changed, previous, record FROM events WHERE org_id = $1 ORDER BY seq',
);
const eventsOf = ({ orgId }: Actor) => db.database.query(select, [orgId]);
const by = { actor: { type: 'user', id: 'ada', name: 'Ada' }, request_id: 'clicked' };

const context = (): OperationContext => ({ database: db.database, bus: noopBus });
const secretKey = { kind: 'secret', scopes: ['chat'] } as const;
const siteKey = { kind: 'publishable', scopes: ['chat'], origins: ['https://a.example'] } as const;

test('a created key has an event with all its visible fields', async () => {
  const { id, created_at } = await createKey(context(), acme, { ...secretKey, name: 'ERP', scopes: ['webhook'] });
  const shown = { id, name: 'ERP', kind: 'secret', scopes: ['webhook'], origins: [], created_at };
  expect(await eventsOf(acme)).toEqual([
    { ...by, type: 'api_key.created', record_id: id, changed: null, previous: null, record: shown },
  ]);
});

test('revoking a key writes an event, and revoking it again writes none', async () => {
  const { id } = await createKey(context(), acme, secretKey);
  const { revoked_at } = await revokeKey(context(), acme, id);
  await revokeKey(context(), acme, id);
  const [, ...more] = await eventsOf(acme);
  const change = { changed: ['revoked_at'], previous: {}, record: { id, revoked_at } };
  expect(more).toMatchObject([{ ...by, type: 'api_key.revoked', record_id: id, ...change }]);
});

test('changing origins writes an event with the previous ones; setting the same origins again writes none', async () => {
  const { id } = await createKey(context(), acme, siteKey);
  const origins = ['https://b.example'];
  for (let i = 0; i < 2; i++) await updateKey(context(), acme, { id, origins });
  const [, ...more] = await eventsOf(acme);
  const change = { changed: ['origins'], previous: { origins: siteKey.origins }, record: { origins } };
  expect(more).toMatchObject([{ ...by, type: 'api_key.updated', record_id: id, ...change }]);
});

test('a rotated key has an event that names its successor, and the successor has its own event', async () => {
  const { id } = await createKey(context(), acme, secretKey);
  const { old, created } = await rotateKey(context(), acme, { id, overlapMs: 60_000 });
  const [, ...more] = await eventsOf(acme);
  const { expires_at } = old;
  expect(more).toMatchObject([
    { ...by, type: 'api_key.created', record_id: created.id },
    {
      ...by,
      type: 'api_key.rotated',
      record_id: id,
      changed: ['expires_at', 'replaced_by'],
      previous: {},
      record: { id, expires_at, replaced_by: created.id },
    },
  ]);
});

type Change = (given: OperationContext, actor: Actor, id: string) => Promise<unknown>;
const changes: [string, Change][] = [
  ['createKey', (given, actor) => createKey(given, actor, secretKey)],
  ['revokeKey', (given, actor, id) => revokeKey(given, actor, id)],
  ['rotateKey', (given, actor, id) => rotateKey(given, actor, { id, overlapMs: 0 })],
  ['updateKey', (given, actor, id) => updateKey(given, actor, { id, origins: ['https://c.example'] })],
];

test.each(changes)('%s changes nothing if its event cannot be written', async (_name, change) => {
  const { id } = await createKey(context(), acme, siteKey);
  const before = [await listApiKeys(db.database, acme.orgId), await eventsOf(acme)];
  await using _refusing = await refuseEvents();
  await expect(change(context(), acme, id)).rejects.toThrow('no_events');
  expect([await listApiKeys(db.database, acme.orgId), await eventsOf(acme)]).toEqual(before);
});

async function refuseEvents(): Promise<AsyncDisposable> {
  const alter = (text: string) => db.owner.query(statement<never>('', `ALTER TABLE events ${text}`), []);
  await alter('ADD CONSTRAINT no_events CHECK (false) NOT VALID');
  return { [Symbol.asyncDispose]: async () => void (await alter('DROP CONSTRAINT no_events')) };
}

test.each(changes)('%s that is rolled back has no event', async (_name, change) => {
  const { id } = await createKey(context(), acme, siteKey);
  const before = await eventsOf(acme);
  const failing = change({ database: failingAtCommit(db.database), bus: noopBus }, acme, id);
  await expect(failing).rejects.toThrow('rolled back');
  expect(await eventsOf(acme)).toEqual(before);
});

test("refused changes, also of another organization's key, have no event", async () => {
  const { id } = await createKey(context(), acme, siteKey);
  const before = await eventsOf(acme);
  const tried = changes.slice(1).map(([, change]) => change(context(), globex, id));
  await Promise.allSettled([...tried, createKey(context(), globex, { kind: 'secret', scopes: [] })]);
  expect([await eventsOf(acme), await eventsOf(globex)]).toEqual([before, []]);
});

test('no event contains a key, its hash, its prefix or its last characters', async () => {
  const made = [await createKey(context(), acme, secretKey), await createKey(context(), acme, siteKey)];
  for (const { id } of made.slice()) made.push((await rotateKey(context(), acme, { id, overlapMs: 9_000 })).created);
  await revokeKey(context(), acme, made[0]!.id);
  const text = JSON.stringify(await eventsOf(acme));
  for (const { key, prefix } of made) {
    const hash = hashCredential(key);
    for (const secret of [key, key.slice(-20), hash, Buffer.from(hash, 'hex').toString('base64'), prefix])
      expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/key_hash|last_four|prefix/);
});
