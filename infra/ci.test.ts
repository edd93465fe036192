import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = resolve(import.meta.dirname, '..', '.ci', 'run');

/** Folder of the only programs on the PATH of the script. */
let programs: string;

beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), 'relata-ci-'));
  const common = ['bash', 'dirname', 'chmod', 'cat', 'mkdir', 'mv', 'rm', 'tar'];
  await Promise.all(common.map((name) => symlink(whereIs(name), join(programs, name))));
  await program('timeout', 'shift; IS_BOUNDED=1 exec "$@"');
  await program('id', 'echo 0');
  await program('promtool', '');
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
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

/**
 * Returns the script of an apt-get that offers these packages. It downloads only if it runs under a time limit, and
 * unpacks only without a time limit, because unpacking must not be interrupted.
 */
const archive = (...packages: string[]) => `
[ "$2" = install ] || exit 0
for package in "$@"; do true; done
[[ ' ${packages.join(' ')} ' = *" $package "* ]] || exit 100
case "$*" in
  *--download-only*) [ -n "$IS_BOUNDED" ] && echo "$package" >"$0.downloaded" ;;
  *--no-download*) [ -e "$0.downloaded" ] && [ -z "$IS_BOUNDED" ] || exit 100
    echo "$@" >&2
    printf '#!%s/bash\\n' '${programs}' >"${programs}/$package"
    chmod 755 "${programs}/$package" ;;
esac`;

const asked = (name: string) => `-qq install --yes --no-install-recommends --no-remove --no-download ${name}\n`;

test('with a browser, all tests run, and the browser tests are not skipped', async () => {
  const chromium = await program('chromium', '');
  expect(runCi()).toEqual({ status: 0, stdout: `npm test with ${chromium}, required: 1\n`, stderr: '' });
});

test('a headless browser is preferred to a full one', async () => {
  await program('chromium', '');
  await program('apt-get', archive('chromium', 'chromium-headless-shell'));
  const shell = await program('chromium-headless-shell', '');
  expect(runCi()).toEqual({ status: 0, stdout: `npm test with ${shell}, required: 1\n`, stderr: '' });
});

test('a browser that CHROMIUM_PATH names is preferred', async () => {
  await program('chromium', '');
  await program('apt-get', archive('chromium', 'chromium-headless-shell'));
  const own = await program('my-chrome', '');
  expect(runCi({ CHROMIUM_PATH: own }).stdout).toBe(`npm test with ${own}, required: 1\n`);
});

test.each([
  ['a full browser is installed', ['chromium']],
  ['no browser is installed', []],
])('the headless browser is installed if apt-get offers it, when %s', async (_case, present) => {
  for (const name of present) await program(name, '');
  await program('apt-get', archive('chromium', 'chromium-headless-shell'));
  const { status, stdout, stderr } = runCi();
  expect([status, stderr]).toEqual([0, asked('chromium-headless-shell')]);
  expect(stdout).toContain(`npm test with ${programs}/chromium-headless-shell, required: 1\n`);
});

test('without a browser, a full one is installed if apt-get offers no headless one', async () => {
  await program('apt-get', archive('chromium'));
  const { status, stdout, stderr } = runCi();
  expect([status, stderr]).toEqual([0, asked('chromium')]);
  expect(stdout).toContain(`npm test with ${programs}/chromium, required: 1\n`);
});

test.each([
  ['there is no apt-get', {}],
  ['apt-get offers no browser', { 'apt-get': 'exit 100' }],
  ['the user is not root', { 'apt-get': 'exit 0', id: 'echo 1000' }],
])('an installed full browser is used if %s', async (_case, programsToo) => {
  const chromium = await program('chromium', '');
  for (const [name, lines] of Object.entries(programsToo)) await program(name, lines);
  const { status, stdout } = runCi();
  expect(status).toBe(0);
  expect(stdout).toContain(`npm test with ${chromium}, required: 1\n`);
});

test.each([
  ['there is no apt-get', {}],
  ['apt-get fails', { 'apt-get': 'exit 100' }],
  ['the user is not root', { 'apt-get': 'exit 0', id: 'echo 1000' }],
])('without a browser, CI fails with an explanation before any test if %s', async (_case, programsToo) => {
  for (const [name, lines] of Object.entries(programsToo)) await program(name, lines);
  const { status, stdout, stderr } = runCi();
  expect(status).toBe(1);
  expect(stderr).toContain('The browser tests need Chromium, and there is none');
  expect(stdout).not.toContain('npm test');
});

describe('without promtool', () => {
  /** Path to which promtool is fetched. */
  let fetched: string;

  beforeEach(async () => {
    fetched = join(programs, 'local/bin/promtool');
    await Promise.all([rm(join(programs, 'promtool')), program('chromium', '')]);
    await program('npm', 'echo "npm $* with $PROMTOOL_PATH, required: $RELATA_REQUIRE_PROMTOOL"');
    // The content of the package: a working program.
    const unpacked = join(programs, 'unpacked/usr/bin');
    await mkdir(unpacked, { recursive: true });
    await writeFile(join(unpacked, 'promtool'), `#!${programs}/bash\n`);
    await program('dpkg-deb', `[ -e "$2" ] && tar -c -C "${programs}/unpacked" ./usr/bin/promtool`);
  });

  /** Returns an apt-get that runs `before`, downloads into the current folder, and installs nothing. */
  const downloading = (before = '') =>
    `${before}\n[[ "$*" = *' download prometheus' ]] && [ -n "$IS_BOUNDED" ] && echo >prometheus_1_amd64.deb`;
  const ci = () => runCi({ PROMTOOL_PATH: fetched, CHROMIUM_PATH: join(programs, 'chromium') });

  test('promtool is unpacked from its package without an installation, and its tests are not skipped', async () => {
    await program('apt-get', downloading());
    const { status, stdout } = ci();
    expect(status).toBe(0);
    expect(stdout).toContain(`npm test with ${fetched}, required: 1\n`);
    expect(await readdir(join(programs, 'local/bin'))).toEqual(['promtool']);
  });

  test('a promtool that was fetched before is used again', async () => {
    await program('apt-get', downloading());
    ci();
    await program('apt-get', 'exit 100');
    expect(ci().stdout).toBe(`npm test with ${fetched}, required: 1\n`);
  });

  test('the lists of packages are updated if they are missing', async () => {
    const lists = join(programs, 'lists');
    const updating = `case "$*" in *update) echo >"${lists}"; exit ;; esac; [ -e "${lists}" ] || exit 100`;
    await program('apt-get', downloading(updating));
    expect(ci().stdout).toContain(`npm test with ${fetched}, required: 1\n`);
  });

  test.each([
    ['there is no apt-get', {}],
    ['apt-get has no package', { 'apt-get': 'exit 100' }],
    ['the package is broken', { 'apt-get': downloading(), 'dpkg-deb': 'exit 1' }],
    ['the unpacked program does not run', { 'apt-get': downloading(), tar: 'echo "exit 1"' }],
  ])('CI continues, and says that tests are skipped, if %s', async (_case, programsToo) => {
    for (const [name, lines] of Object.entries(programsToo)) {
      await rm(join(programs, name), { force: true });
      await program(name, lines);
    }
    const { status, stdout } = ci();
    expect(status).toBe(0);
    expect(stdout).toContain('There is no promtool: the tests of alerts are skipped');
    expect(stdout).toContain('npm test with');
    expect(stdout).toContain('required: \n');
  });
});
