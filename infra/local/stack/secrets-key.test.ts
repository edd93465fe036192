import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptSecretsKey } from './secrets-key.ts';

test('the key is made once, of 32 bytes, for its owner alone to read', async () => {
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
