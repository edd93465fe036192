import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptSecret, keptSecretsKey } from './kept-secrets.ts';

test('a secret is created once, and only its owner can read it', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relata-secret-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, 'deep', 'nats.token');
  const secret = await keptSecret(path);
  expect(secret).toMatch(/^[\w-]{32}$/);
  await chmod(path, 0o644);
  expect(await keptSecret(path)).toBe(secret);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await writeFile(path, '');
  expect(await keptSecret(path)).toMatch(/^[\w-]{32}$/);
});

test('the key of secrets is created once, has 32 bytes, and only its owner can read it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-key-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'secrets.key');
  const key = await keptSecretsKey(file);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await keptSecretsKey(file)).toBe(key);
  expect(await readFile(file, 'utf8')).toBe(`${key}\n`);
  await writeFile(file, 'own\n');
  expect(await keptSecretsKey(file)).toBe('own');
  await expect(keptSecretsKey(folder)).rejects.toMatchObject({ code: 'EISDIR' });
});
