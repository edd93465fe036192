import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

let home: string;
const started: number[] = [];

/** Returns a fake npx that installs a program once the file `go` exists, and counts the installs that began. */
const npx = () => `#!/bin/sh
case "$*" in *install*) ;; *) echo '${home}/npx'; exit ;; esac
echo began >>'${home}/installs'
while [ ! -e '${home}/go' ]; do sleep 0.02; done
mkdir -p '${home}/node_modules/.bin'
: >'${home}/node_modules/.bin/node'
printf '#!/bin/sh\\necho ran' >'${home}/node_modules/.bin/program'
chmod +x '${home}/node_modules/.bin/program'
`;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relata-bootstrap-'));
  await mkdir(join(home, 'infra'));
  for (const name of ['bootstrap.mjs', 'pnpm.mjs'])
    await copyFile(join(import.meta.dirname, name), join(home, 'infra', name));
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) await writeFile(join(home, name), '');
  await writeFile(join(home, 'package.json'), '{"packageManager":"pnpm@1.2.3"}');
  await writeFile(join(home, 'npx'), npx(), { mode: 0o755 });
});

afterEach(async () => {
  for (const pid of started.splice(0)) end(pid);
  await rm(home, { recursive: true, force: true });
});

/** Starts a run in a process group of its own; `before` is code that it executes first. */
function run(before = '', env: NodeJS.ProcessEnv = {}) {
  const PATH = [home, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const given = ['--import', `data:text/javascript,${encodeURIComponent(before)}`, 'infra/bootstrap.mjs', 'program'];
  const child = spawn(process.execPath, given, { cwd: home, env: { HOME: home, PATH, ...env }, detached: true });
  started.push(child.pid!);
  const exited = once(child, 'exit');
  const output = Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { pid: child.pid!, exited, output: output.then(([stdout, stderr, [code]]) => ({ stdout, stderr, code })) };
}

function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

const countLines = async (name: string) =>
  (await readFile(join(home, name), 'utf8').catch(() => '')).split('\n').length - 1;

/** Kills a run during its install, so that it leaves its lock. */
async function leaveLock(): Promise<void> {
  const killed = run();
  await until(async () => expect(await countLines('installs')).toBe(1));
  end(killed.pid);
  await killed.exited;
}

const ran = { code: 0, stdout: 'ran\n' };

/**
 * Returns code that stops a run after each check whether the owner of the lock is alive, until the file `judge` exists.
 */
const judgesSlowly = () => `
  import { appendFileSync, existsSync } from 'node:fs';
  const { kill } = process;
  process.kill = (...given) => {
    try {
      return kill.apply(process, given);
    } finally {
      appendFileSync('${home}/judged', 'once\\n');
      while (!existsSync('${home}/judge')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  };`;

test('a run that finds the lock of a killed run leaves the lock that another run takes meanwhile', async () => {
  await leaveLock();
  const slow = run(judgesSlowly());
  await until(async () => expect(await countLines('judged')).toBe(1));
  const fast = run();
  await until(async () => expect(await countLines('installs')).toBe(2));
  await writeFile(join(home, 'judge'), '');
  await until(async () => expect((await countLines('judged')) + (await countLines('installs'))).toBeGreaterThan(3));
  expect(await countLines('installs')).toBe(2);
  await writeFile(join(home, 'go'), '');
  expect([await fast.output, await slow.output]).toMatchObject([ran, ran]);
  expect(await countLines('installs')).toBe(2);
});

/** Code that deletes the lock each time the run is about to read it. */
const losesLock = `
  import fs, { rmSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  for (const name of ['readFileSync', 'readdirSync']) {
    const read = fs[name];
    fs[name] = (path, ...given) => {
      if (String(path).includes('.local/install')) rmSync(path, { recursive: true, force: true });
      return read(path, ...given);
    };
  }
  syncBuiltinESMExports();`;

test('a run that waits for a lock takes it if it disappears', async () => {
  await leaveLock();
  await writeFile(join(home, 'go'), '');
  expect(await run(losesLock).output).toMatchObject(ran);
});

test.each([
  [{}, '127.0.0.1,localhost'],
  [{ NO_PROXY: 'upper.example' }, 'upper.example,127.0.0.1,localhost'],
  [{ no_proxy: '', NO_PROXY: 'upper.example' }, 'upper.example,127.0.0.1,localhost'],
  [{ no_proxy: 'lower.example', NO_PROXY: 'upper.example' }, 'lower.example,127.0.0.1,localhost'],
])('with %j, a program sends requests to this machine without a proxy', async (env, expected) => {
  await writeFile(join(home, 'go'), '');
  await run().output;
  await writeFile(join(home, 'node_modules', '.bin', 'program'), '#!/bin/sh\necho "$no_proxy $NO_PROXY"');
  expect(await run('', env).output).toMatchObject({ code: 0, stdout: `${expected} ${expected}\n` });
});
