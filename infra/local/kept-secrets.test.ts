import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptSecret } from './kept-secrets.ts';

test('a secret is made once, and only its owner may read it', async () => {
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
