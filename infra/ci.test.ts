import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = resolve(import.meta.dirname, '..', '.ci', 'run');

/** A machine that has no programs but these. */
let programs: string;

beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), 'relata-ci-'));
  await Promise.all(['bash', 'dirname', 'chmod', 'cat'].map((name) => symlink(whereIs(name), join(programs, name))));
  await program('timeout', 'shift; exec "$@"');
  await program('id', 'echo 0');
  await program('npm', 'echo "npm $* with $CHROMIUM_PATH, required: $RELATA_REQUIRE_BROWSER"');
});

afterEach(() => rm(programs, { recursive: true, force: true }));

function whereIs(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}

async function program(name: string, lines: string): Promise<string> {
  const file = join(programs, name);
  await writeFile(file, `#!${programs}/bash\n${lines}\n`, { mode: 0o755 });
  return file;
}

function runCi(env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(script, {
    env: { PATH: programs, ...env },
    encoding: 'utf8',
    timeout: 10_000,
  });
  return { status, stdout, stderr };
}

const installer = (after: string) => `
if [ "$2" = install ]; then echo "$@" >&2; ${after}; fi`;

test('with a browser, all tests run, and those in the browser are not skipped', async () => {
  const chromium = await program('chromium', '');
  expect(runCi()).toEqual({ status: 0, stdout: `npm test with ${chromium}, required: 1\n`, stderr: '' });
});

test('a browser that CHROMIUM_PATH names is preferred', async () => {
  await program('chromium', '');
  const own = await program('my-chrome', '');
  expect(runCi({ CHROMIUM_PATH: own }).stdout).toBe(`npm test with ${own}, required: 1\n`);
});

test('without a browser one is installed where that is possible', async () => {
  const made = `printf '#!%s/bash\\n' '${programs}' >'${programs}/chromium'; chmod 755 '${programs}/chromium'`;
  await program('apt-get', installer(made));
  const { status, stdout, stderr } = runCi();
  expect(status).toBe(0);
  expect(stderr).toBe('-qq install --yes --no-install-recommends chromium\n');
  expect(stdout).toContain(`npm test with ${programs}/chromium, required: 1\n`);
});

test.each([
  ['there is no apt-get', {}],
  ['apt-get fails', { 'apt-get': installer('exit 100') }],
  ['somebody else than root runs it', { 'apt-get': installer('exit 0'), id: 'echo 1000' }],
])('it fails in clear words, before any test, where %s', async (_case, programsToo) => {
  for (const [name, lines] of Object.entries(programsToo)) await program(name, lines);
  const { status, stdout, stderr } = runCi();
  expect(status).toBe(1);
  expect(stderr).toContain('The browser tests need Chromium, and there is none');
  expect(stdout).not.toContain('npm test');
});
