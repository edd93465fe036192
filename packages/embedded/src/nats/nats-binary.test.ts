import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findNatsServer } from './nats-binary.ts';

let folder: string;
let binDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-bin-'));
  binDir = join(folder, 'bin');
  vi.stubEnv('PATH', join(folder, 'path'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true, force: true });
});

async function putServer(dir: string, name = 'nats-server'): Promise<string> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, name), '#!/bin/sh\n');
  await chmod(join(dir, name), 0o755);
  return join(dir, name);
}

test('a nats-server on the PATH is preferred to a fetched one', async () => {
  const onPath = await putServer(join(folder, 'path'));
  await putServer(binDir);
  expect(await findNatsServer({ binDir })).toBe(onPath);
});

test('a nats-server that was fetched earlier is used again', async () => {
  const fetched = await putServer(binDir);
  expect(await findNatsServer({ binDir })).toBe(fetched);
});

test('a download other than the pinned release is refused and leaves no files', async () => {
  vi.stubGlobal('fetch', async () => new Response('not a server'));
  await expect(findNatsServer({ binDir })).rejects.toThrow(/not the pinned release/);
  expect(await readdir(binDir)).toEqual([]);
});

test('if every source fails, the error has the advice and the reason of each', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') })));
  await expect(findNatsServer({ binDir })).rejects.toThrow(/set NATS_URL[^]*no route[^]*apt-get/);
});
