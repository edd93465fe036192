import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readEncryptionKey } from './encryption-keys.ts';
import { seal, unseal } from './sealed-value.ts';
import { secretsSettings, signingSettings } from './secrets.settings.ts';

const { SECRETS_KEY: setting } = secretsSettings;

test('a key is the same in hex, base64 and base64url', () => {
  const bytes = Buffer.alloc(32, 0xfb);
  const written = ['hex', 'base64', 'base64url'] as const;
  const keys = written.map((encoding) => readEncryptionKey(bytes.toString(encoding)));
  for (const key of keys) expect(key).toEqual({ id: keys[0]!.id, bytes });
});

test('several keys are read in order, and each has its own id', () => {
  const texts = Array.from({ length: 3 }, () => randomBytes(32).toString('base64'));
  const keys = setting.parse(texts.join(' , '))!;
  expect(keys.map(({ bytes }) => bytes.toString('base64'))).toEqual(texts);
  expect(new Set(keys.map(({ id }) => id)).size).toBe(3);
  expect(keys[0].id).toMatch(/^[0-9a-f]{16}$/);
});

test('SIGNING_KEYS with the same bytes as SECRETS_KEY are different keys, which read none of its values', () => {
  const text = randomBytes(32).toString('base64');
  const [own, signing] = [setting.parse(text)!, signingSettings.SIGNING_KEYS.parse(text)!];
  expect(signing[0].id).toBe(own[0].id);
  expect(signing[0].bytes).not.toEqual(own[0].bytes);
  const context = { purpose: 'test', orgId: 'a', name: 'b' };
  const sealed = seal(signing, context, 'value');
  expect(unseal(signing, context, sealed)).toBe('value');
  expect(unseal(own, context, sealed)).toBeUndefined();
  for (const other of [{ purpose: 'other' }, { orgId: 'c' }, { name: 'c' }])
    expect(unseal(signing, { ...context, ...other }, sealed)).toBeUndefined();
});

test('without the setting there are no keys', () => {
  expect(setting.parse(undefined)).toBeUndefined();
});

const bytesOf = (count: number) => Buffer.alloc(count, 7);
const good = bytesOf(32).toString('base64');

test.for([
  'nonsense',
  bytesOf(31).toString('base64'),
  bytesOf(33).toString('base64'),
  bytesOf(16).toString('hex'),
  `${good},`,
  `${good},nonsense`,
  Array(11).fill(good).join(','),
])('%s is refused, and not quoted', (text) => {
  const { error } = setting.safeParse(text);
  expect(error?.issues[0]?.message).toContain('must be 32 bytes in base64 or hex');
  expect(JSON.stringify(error?.issues)).not.toContain(text.slice(0, 40));
});
