import { randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase, failingAtCommit } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEncryptionKey, type EncryptionKeys } from './encryption-keys.ts';
import { listSecrets, reencryptSecrets, removeSecret, setSecret } from './secret.sql.ts';

const newKey = () => readEncryptionKey(randomBytes(32).toString('hex'))!;
const keys: EncryptionKeys = [newKey()];
let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

interface Event {
  type: string;
  record_id: string;
}
const select = statement<Event>(
  'test.events',
  'SELECT type, record_id, actor, request_id, changed, previous, record FROM events WHERE org_id = $1 ORDER BY seq',
);
const eventsOf = (orgId: string) => db.database.query(select, [orgId]);
const newActor = async () => operatorActor((await createOrganization(db.database, 'Acme')).id, 'typed');

const rawRows = statement<{ ciphertext: Buffer; key_id: string }>(
  'test.raw_secrets',
  'SELECT ciphertext, key_id FROM organization_secrets WHERE org_id = $1',
);

test('setting, replacing and removing a secret write an event each, with its name but not its value', async () => {
  const actor = await newActor();
  const values = ['tok-5ecret-one', 'tok-5ecret-two'];
  const ciphertexts: Buffer[] = [];
  for (const value of values) {
    await setSecret(db, actor, { name: 'TOKEN', value }, keys);
    ciphertexts.push((await db.database.query(rawRows, [actor.orgId]))[0]!.ciphertext);
  }
  await reencryptSecrets(db, actor, [newKey(), ...keys]);
  const [kept] = await listSecrets(db.database, actor.orgId);
  await removeSecret(db, actor, 'TOKEN');
  await setSecret(db, actor, { name: 'TOKEN', value: 'third' }, keys);
  const events = await eventsOf(actor.orgId);
  const by = { actor: { type: 'operator' }, request_id: 'typed', record_id: events[0]!.record_id };
  const { name, created_at, updated_at } = kept!;
  const record = { id: by.record_id, name, created_at, updated_at };
  expect(events).toMatchObject([
    { ...by, type: 'secret.created', changed: null, previous: null },
    { ...by, type: 'secret.updated', changed: ['value'], previous: {}, record },
    { ...by, type: 'secret.removed', changed: null, previous: null, record },
    { ...by, type: 'secret.created' },
  ]);
  const text = JSON.stringify(events);
  for (const hidden of [...values, kept!.key_id, keys[0].id, keys[0].bytes.toString('hex')])
    expect(text).not.toContain(hidden);
  for (const sealed of ciphertexts)
    for (const encoding of ['hex', 'base64'] as const) expect(text).not.toContain(sealed.toString(encoding));
});

test('secrets with the same name have different ids in different organizations', async () => {
  const actors = [await newActor(), await newActor()];
  for (const actor of actors) await setSecret(db, actor, { name: 'TOKEN', value: 'same' }, keys);
  const ids = await Promise.all(actors.map(async ({ orgId }) => (await eventsOf(orgId))[0]!.record_id));
  expect(new Set(ids).size).toBe(2);
});

test('a change that is refused, rolled back or cannot write its event changes nothing and has no event', async () => {
  const [actor, other] = [await newActor(), await newActor()];
  await setSecret(db, actor, { name: 'TOKEN', value: 'kept' }, keys);
  const before = [await listSecrets(db.database, actor.orgId), await eventsOf(actor.orgId)];
  await expect(setSecret(db, actor, { name: '1', value: 'x' }, keys)).rejects.toMatchObject({
    code: 'validation_error',
  });
  await expect(removeSecret(db, other, 'TOKEN')).rejects.toMatchObject({ code: 'not_found' });
  const changes = [
    (database: Parameters<typeof removeSecret>[0]) => setSecret(database, actor, { name: 'TOKEN', value: 'x' }, keys),
    (database: Parameters<typeof removeSecret>[0]) => removeSecret(database, actor, 'TOKEN'),
  ];
  for (const change of changes)
    await expect(change({ database: failingAtCommit(db.database) })).rejects.toThrow('rolled back');
  const alter = (text: string) => db.owner.query(statement<never>('', `ALTER TABLE events ${text}`), []);
  await alter('ADD CONSTRAINT no_events CHECK (false) NOT VALID');
  for (const change of changes) await expect(change(db)).rejects.toThrow('no_events');
  await alter('DROP CONSTRAINT no_events');
  expect([await listSecrets(db.database, actor.orgId), await eventsOf(actor.orgId)]).toEqual(before);
  expect(await eventsOf(other.orgId)).toEqual([]);
});

test('concurrent changes of a secret have events in a consistent order', async () => {
  const actor = await newActor();
  const set = () => setSecret(db, actor, { name: 'TOKEN', value: 'x' }, keys);
  await set();
  for (let i = 0; i < 10; i++) await Promise.allSettled([set(), removeSecret(db, actor, 'TOKEN'), set()]);
  const verbs = (await eventsOf(actor.orgId)).map(({ type }) => type);
  for (const [i, type] of verbs.entries()) {
    const isThere = i > 0 && verbs[i - 1] !== 'secret.removed';
    expect(type === 'secret.created').toBe(!isThere);
  }
});
