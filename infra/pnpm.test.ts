import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Fetch {
  packageManager: string;
  folder: string;
  env: NodeJS.ProcessEnv;
}

// Plain JavaScript, which the bootstrap runs before a compiler is installed.
const module: string = './pnpm.mjs';
const { fetchPnpm } = (await import(module)) as { fetchPnpm(given: Fetch): string };

let home: string;
let folder: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relata-pnpm-'));
  folder = join(home, 'kept');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const hashOf = (text: string) => `sha512.${createHash('sha512').update(text).digest('hex')}`;

/** Fetches with an npm that returns this package, and counts its calls. */
async function fetchFrom(given: string, packageManager: string): Promise<string> {
  const npm = `#!/bin/sh\necho "$*" >>'${home}/asked'\nprintf %s '${given}' >"$4/pnpm-1.2.3.tgz"\n`;
  await writeFile(join(home, 'npm'), npm, { mode: 0o755 });
  return fetchPnpm({ packageManager, folder, env: { PATH: `${home}:/usr/bin:/bin` } });
}

test('a pnpm with the hash in package.json is fetched once and kept', async () => {
  const packageManager = `pnpm@1.2.3+${hashOf('good')}`;
  const file = await fetchFrom('good', packageManager);
  expect(await readFile(file, 'utf8')).toBe('good');
  expect(await fetchFrom('good', packageManager)).toBe(file);
  expect((await readFile(join(home, 'asked'), 'utf8')).trim().split('\n')).toHaveLength(1);
});

test('a pnpm with a different hash is refused and deleted', async () => {
  await expect(fetchFrom('evil', `pnpm@1.2.3+${hashOf('good')}`)).rejects.toThrow(/does not match the hash/);
  expect(await readdir(folder)).toEqual([]);
});

test('a pnpm that was changed on disk is fetched again', async () => {
  const packageManager = `pnpm@1.2.3+${hashOf('good')}`;
  const file = await fetchFrom('good', packageManager);
  await writeFile(file, 'evil');
  expect(await readFile(await fetchFrom('good', packageManager), 'utf8')).toBe('good');
});

test('package.json names pnpm with a hash', async () => {
  const { packageManager } = JSON.parse(await readFile(resolve(import.meta.dirname, '..', 'package.json'), 'utf8'));
  expect(packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+\+sha512\.[\da-f]{128}$/);
});

test('pnpm checks that packages support the Node of the lockfile, not the one that installs them', async () => {
  const workspace = await readFile(resolve(import.meta.dirname, '..', 'pnpm-workspace.yaml'), 'utf8');
  const [, version] = /^ {2}node: (\S+)$/m.exec(workspace) ?? [];
  expect(workspace).toContain(`\nnodeVersion: ${version}\n`);
});
