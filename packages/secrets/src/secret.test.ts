import { randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEncryptionKey, type EncryptionKey, type EncryptionKeys } from './encryption-keys.ts';
import {
  listOrganizationsToReencrypt,
  listSecrets,
  readSecrets,
  reencryptSecrets,
  removeSecret,
  setSecret,
} from './secret.sql.ts';

const newKey = (): EncryptionKey => readEncryptionKey(randomBytes(32).toString('hex'))!;
const keys: EncryptionKeys = [newKey()];
let db: TestDatabase;
let acme: string;
let globex: string;
beforeAll(async () => {
  db = await createTestDatabase();
  acme = (await createOrganization(db.database, 'Acme')).id;
  globex = (await createOrganization(db.database, 'Globex')).id;
});
afterAll(() => db[Symbol.asyncDispose]());

const set = (orgId: string, name: string, value: string, by = keys) =>
  setSecret(db, operatorActor(orgId, 'test'), { name, value }, by);
const read = (orgId: string, name: string, by: EncryptionKeys | undefined = keys) =>
  readSecrets(db.database, orgId, [name], by);

const rawRow = statement<{ ciphertext: Buffer }>(
  'test.raw_secret',
  'SELECT ciphertext FROM organization_secrets WHERE org_id = $1 AND name = $2',
);
const rawSet = statement<never>(
  'test.raw_set_secret',
  'UPDATE organization_secrets SET ciphertext = $3 WHERE org_id = $1 AND name = $2',
);
const ciphertextOf = async (orgId: string, name: string) =>
  (await db.database.query(rawRow, [orgId, name]))[0]!.ciphertext;

describe('a secret', () => {
  test('a secret is read as it was set, and a new value replaces it', async () => {
    const value = ' Grüße \n "x" \u{1f600}\t';
    expect(await set(acme, 'TOKEN', value)).toMatchObject({ name: 'TOKEN', action: 'created', key_id: keys[0].id });
    expect(await read(acme, 'TOKEN')).toEqual({ TOKEN: value });
    expect(await set(acme, 'TOKEN', 'second')).toMatchObject({ action: 'updated' });
    expect(await read(acme, 'TOKEN')).toEqual({ TOKEN: 'second' });
  });

  test('a secret is stored and listed without its value, and never twice as the same bytes', async () => {
    const answered = await set(acme, 'HIDDEN', 'in-plain-sight');
    const first = await ciphertextOf(acme, 'HIDDEN');
    await set(acme, 'HIDDEN', 'in-plain-sight');
    const second = await ciphertextOf(acme, 'HIDDEN');
    expect(first.equals(second)).toBe(false);
    expect(second.includes('in-plain-sight')).toBe(false);
    expect(JSON.stringify([answered, await listSecrets(db.database, acme)])).not.toContain('in-plain-sight');
  });

  test('a secret of another organization is never read, listed or removed, whatever its name', async () => {
    await set(acme, 'SHARED_NAME', 'of acme');
    await expect(read(globex, 'SHARED_NAME')).rejects.toMatchObject({ code: 'missing_secret' });
    await expect(removeSecret(db, operatorActor(globex, 'test'), 'SHARED_NAME')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await listSecrets(db.database, globex)).toEqual([]);
    await set(globex, 'SHARED_NAME', 'of globex');
    expect(await read(acme, 'SHARED_NAME')).toEqual({ SHARED_NAME: 'of acme' });
    expect(await read(globex, 'SHARED_NAME')).toEqual({ SHARED_NAME: 'of globex' });
  });

  test('a secret cannot be read from the row of another name or another organization', async () => {
    await set(acme, 'OURS', 'ours');
    await set(acme, 'OTHER', 'other');
    await set(globex, 'OURS', 'theirs');
    const ours = await ciphertextOf(acme, 'OURS');
    for (const [orgId, name] of [
      [acme, 'OTHER'],
      [globex, 'OURS'],
    ] as const) {
      await db.database.query(rawSet, [orgId, name, ours]);
      await expect(read(orgId, name)).rejects.toMatchObject({ code: 'unreadable_secret' });
    }
    expect(await read(acme, 'OURS')).toEqual({ OURS: 'ours' });
  });

  test('a secret that was cut or has a changed bit cannot be read', async () => {
    await set(acme, 'DAMAGED', 'whole');
    const whole = await ciphertextOf(acme, 'DAMAGED');
    const changed = [...whole.keys()].map((at) => Buffer.from(whole.map((byte, i) => (i === at ? byte ^ 1 : byte))));
    for (const damaged of [...changed, whole.subarray(0, -1), whole.subarray(0, 27), Buffer.alloc(0)]) {
      await db.database.query(rawSet, [acme, 'DAMAGED', damaged]);
      await expect(read(acme, 'DAMAGED')).rejects.toThrow('The secret DAMAGED is damaged. Set it again.');
    }
  });

  test('a secret is read with an older key, and set again with the first', async () => {
    const before: EncryptionKeys = [newKey()];
    const rotated: EncryptionKeys = [newKey(), ...before];
    await set(acme, 'ROTATED', 'value', before);
    expect(await read(acme, 'ROTATED', rotated)).toEqual({ ROTATED: 'value' });
    await expect(read(acme, 'ROTATED')).rejects.toThrow(
      `encrypted with the key ${before[0].id}, which SECRETS_KEY lacks`,
    );
    expect(await set(acme, 'ROTATED', 'value', rotated)).toMatchObject({ key_id: rotated[0].id, action: 'updated' });
    expect(await read(acme, 'ROTATED', [rotated[0]])).toEqual({ ROTATED: 'value' });
  });

  test('all secrets of an organization are encrypted again with the first key, or none', async () => {
    const { id: own } = await createOrganization(db.database, 'Rotating');
    const [before, lost]: EncryptionKeys[] = [[newKey()], [newKey()]];
    const rotated: EncryptionKeys = [newKey(), ...before!];
    await set(own, 'A', 'a', before);
    await set(own, 'B', 'b', lost);
    const kept = await listSecrets(db.database, own);
    expect(await listOrganizationsToReencrypt(db.database, rotated)).toContain(own);
    await expect(reencryptSecrets(db, operatorActor(own, 'test'), rotated)).rejects.toMatchObject({
      code: 'unreadable_secret',
    });
    expect(await listSecrets(db.database, own)).toEqual(kept);
    await set(own, 'B', 'b', rotated);
    expect(await reencryptSecrets(db, operatorActor(own, 'test'), rotated)).toEqual(['A']);
    expect(await listOrganizationsToReencrypt(db.database, rotated)).not.toContain(own);
    expect(await readSecrets(db.database, own, ['A', 'B'], [rotated[0]])).toEqual({ A: 'a', B: 'b' });
    const [a] = await listSecrets(db.database, own);
    expect(a).toEqual({ ...kept[0], key_id: rotated[0].id });
  });

  test('a secret cannot be read without SECRETS_KEY', async () => {
    await expect(readSecrets(db.database, acme, ['TOKEN'], undefined)).rejects.toMatchObject({
      code: 'secrets_key_missing',
    });
  });

  test('a secret that is removed cannot be read', async () => {
    await set(acme, 'GONE', 'x');
    expect(await removeSecret(db, operatorActor(acme, 'test'), 'GONE')).toMatchObject({ name: 'GONE' });
    await expect(read(acme, 'GONE')).rejects.toThrow('The organization has no secret GONE.');
    await expect(removeSecret(db, operatorActor(acme, 'test'), 'GONE')).rejects.toMatchObject({ code: 'not_found' });
  });

  test.for<[string, string, string]>([
    ['', '5ecret', 'name'],
    ['1A', '5ecret', 'name'],
    ['A-B', '5ecret', 'name'],
    ['A'.repeat(65), '5ecret', 'name'],
    ['A', '', 'value'],
    ['A', 'x'.repeat(8_193), 'value'],
    ['A', 'é'.repeat(4_097), 'value'],
    ['A', 'a\u0000b', 'value'],
    ['A', 'a\ud800', 'value'],
  ])('an invalid secret named %j is refused, and its value is not quoted', async ([name, value, field]) => {
    const refused = await set(acme, name, value).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation_error', details: [{ field }] });
    expect(JSON.stringify(refused)).not.toContain(value || 'no value');
  });

  test('a secret of the maximum size is stored', async () => {
    const value = 'x'.repeat(8_192);
    await set(acme, 'A'.repeat(64), value);
    expect(await read(acme, 'A'.repeat(64))).toEqual({ ['A'.repeat(64)]: value });
  });

  test('a secret needs an organization', async () => {
    const nobody = '00000000-0000-7000-8000-000000000000';
    await expect(set(nobody, 'A', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('an organization has at most 100 secrets, even if many are set at once', async () => {
  const { id } = await createOrganization(db.database, 'Many');
  for (let i = 0; i < 98; i++) await set(id, `S${i}`, 'x');
  const all = await Promise.allSettled(Array.from({ length: 6 }, (_, i) => set(id, `T${i}`, 'x')));
  const refused = all.filter((one) => one.status === 'rejected');
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(4).fill('conflict'));
  const kept = await listSecrets(db.database, id);
  expect(kept).toHaveLength(100);
  expect(await set(id, kept[0]!.name, 'y')).toMatchObject({ action: 'updated' });
});
