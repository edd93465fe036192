// Runs a program of this repository on a machine that has only Node 20 or newer, and npm:
//   node infra/bootstrap.mjs <file.ts | program in node_modules/.bin> [arguments]
// Installs the packages of the lockfile when they are missing or out of date, Node 26 among
// them, and then runs the program. Plain JavaScript, because nothing is installed yet.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fetchPnpm } from './pnpm.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const stampFile = join(root, 'node_modules', '.relata-installed');
const lock = join(root, '.local', 'installing');
const nodeMajorMin = 20;
const lockWaitMs = 600_000;

const environment = {
  ...process.env,
  ...homeIfNone(),
  ...withoutProxyToSelf(),
  PATH: [bin, process.env.PATH ?? ''].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  // This program chooses the version of pnpm, so pnpm must not fetch another version by itself.
  pnpm_config_pm_on_fail: 'ignore',
};

try {
  const [target, ...args] = process.argv.slice(2);
  if (!target) throw new Error('Usage: node infra/bootstrap.mjs <file.ts | program> [arguments]');
  requireNode();
  await installIfNeeded();
  process.exitCode = await run(target, args);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function requireNode() {
  if (Number.parseInt(process.versions.node, 10) >= nodeMajorMin) return;
  throw new Error(`Relata needs Node ${nodeMajorMin} or newer; this is ${process.version}.`);
}

// npm and pnpm keep their caches below HOME, and fail if it is not set.
function homeIfNone() {
  if (process.env.HOME) return {};
  const home = userInfo().homedir;
  return { HOME: home && existsSync(home) ? home : tmpdir() };
}

// With NODE_USE_ENV_PROXY, Node sends all requests to the proxy of the environment, which does not reach the servers of
// this machine. Node reads part of these variables only at its start, and treats an empty `no_proxy` inconsistently.
function withoutProxyToSelf() {
  const given = process.env.no_proxy || process.env.NO_PROXY;
  const list = [...(given ? [given] : []), '127.0.0.1', 'localhost'].join(',');
  return { no_proxy: list, NO_PROXY: list };
}

async function installIfNeeded() {
  const wanted = fingerprint();
  if (isInstalled(wanted)) return;
  await takeLock();
  try {
    // Another run may have installed while this one waited.
    if (!isInstalled(wanted)) await install(wanted);
  } finally {
    rmSync(join(lock, String(process.pid)), { force: true });
  }
}

// Returns true if the stamp file has this fingerprint, and the installed Node and pnpm have not been deleted since.
function isInstalled(wanted) {
  if (!existsSync(join(bin, 'node')) || !existsSync(stampFile)) return false;
  const [found, pnpm] = readFileSync(stampFile, 'utf8').split('\n');
  return found === wanted && existsSync(pnpm);
}

// Returns a hash of everything that determines the contents of node_modules.
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${root}`);
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...workspaceManifests()];
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function workspaceManifests() {
  const [, list = ''] =
    /^packages:\n((?:[ \t]+- .*\n)+)/m.exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) ?? [];
  const patterns = [...list.matchAll(/- ["']?([^"'\s]+)/g)].map(([, pattern]) => pattern);
  const folders = patterns.flatMap((pattern) =>
    pattern.endsWith('/*') ? childrenOf(pattern.slice(0, -2)) : [pattern],
  );
  return folders.map((folder) => `${folder}/package.json`).filter((file) => existsSync(join(root, file)));
}

function childrenOf(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .sort()
    .map((name) => `${folder}/${name}`);
}

async function install(wanted) {
  // Deletes the stamp first, so that an install that fails halfway does not count as complete.
  rmSync(stampFile, { force: true });
  console.error('Installing the dependencies (once; takes a minute or two) ...');
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpm = fetchPnpm({ packageManager, folder: join(root, '.local', 'pnpm'), env: environment });
  const options = ['--frozen-lockfile', '--config.confirm-modules-purge=false'];
  const args = ['--yes', `--package=${pnpm}`, 'pnpm', 'install', ...options];
  // All output of the install goes to stderr, because stdout belongs to the program that runs afterwards.
  const code = await exitOf('npx', args, { stdio: ['ignore', 2, 2], env: environment });
  if (code !== 0) throw new Error(installFailure(packageManager.split('+')[0]));
  writeFileSync(stampFile, `${wanted}\n${offerPnpm(pnpm)}`);
}

// turbo starts its tasks through a pnpm on the PATH, and a fresh machine has none. turbo also hides most of the
// environment from its tasks, so npx might not find its registry there. The script therefore calls the pnpm that npx
// fetched, and sets the hidden variable again.
function offerPnpm(pnpm) {
  const options = { env: { ...environment, PATH: process.env.PATH }, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] };
  const found = execFileSync('npx', ['--yes', `--package=${pnpm}`, '-c', 'command -v pnpm'], options).trim();
  const program = realpathSync(found);
  const script = `#!/bin/sh\npnpm_config_pm_on_fail=ignore exec "${program}" "$@"\n`;
  writeFileSync(join(bin, 'pnpm'), script, { mode: 0o755 });
  return program;
}

function installFailure(pnpm) {
  return (
    'The dependencies could not be installed; the lines above say why.\n' +
    '- No answer from the package registry: check the network, a proxy (HTTPS_PROXY) or `npm config get registry`.\n' +
    `- The lockfile is out of date after an edit of a package.json: run \`npx --yes ${pnpm} install\`.`
  );
}

// The lock is a folder with one file, whose name is the process id of the owner. A run takes the lock by renaming a
// prepared folder, which fails while another owner's file is in the lock. A run deletes only files of ended processes,
// so it never clears a lock that another run has taken meanwhile.
async function takeLock() {
  mkdirSync(dirname(lock), { recursive: true });
  const own = mkdtempSync(`${lock}-`);
  try {
    writeFileSync(join(own, String(process.pid)), '');
    const deadline = Date.now() + lockWaitMs;
    for (let isFirst = true; !isTaken(own); isFirst = false) {
      if (isFirst) console.error('Waiting for another run that is installing ...');
      if (Date.now() > deadline) throw new Error(`Another run is still installing. If there is none, delete ${lock}.`);
      await pause(200);
      for (const pid of lockOwners()) if (!isAlive(Number(pid))) rmSync(join(lock, pid), { force: true });
    }
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function isTaken(own) {
  try {
    renameSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

function lockOwners() {
  try {
    return readdirSync(lock);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function run(target, args) {
  const options = { stdio: 'inherit', env: environment };
  if (!target.endsWith('.ts')) return exitOf(join(bin, target), args, options);
  // Without the cache, Node would compile the sources at each start, which is a third of a short command's time.
  const env = { NODE_COMPILE_CACHE: join(root, '.local', 'compiled'), ...environment };
  return exitOf(realpathSync(join(bin, 'node')), [join(root, target), ...args], { ...options, env });
}

/** Returns the exit code of a program, or 128 plus the number of the signal that ended it, as a shell does. */
function exitOf(command, args, options) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, options);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(child, signal));
    if (process.env.npm_lifecycle_event) onceOrphaned(() => child.kill('SIGTERM'));
    child.once('error', (error) => fail(new Error(startFailure(command, error))));
    child.once('exit', (code, signal) => done(signal ? 128 + constants.signals[signal] : code));
  });
}

// In a terminal, Ctrl-C reaches every process of the group; passing it on would send it twice.
function forward(child, signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(signal);
}

// npm sends SIGTERM to the shell that runs a script, and the shell ends without passing the signal on. So this process
// notices only that its parent has ended.
function onceOrphaned(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, 200);
  timer.unref();
}

function startFailure(command, error) {
  if (error.code !== 'ENOENT') return `${command} could not be started: ${error.message}`;
  if (command === 'npx') return 'npx was not found. Install npm, which comes with Node, and try again.';
  return `There is no program ${command}.`;
}
