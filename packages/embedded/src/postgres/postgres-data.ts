import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { postgresMajor, type PostgresBinaries } from './postgres-binary.ts';
import { launch, type SystemAccount } from '../process/server-account.ts';

const run = promisify(execFile);
const initTimeoutMs = 120_000;
const builtinLocaleSince = 17;

export interface DataOptions {
  dataDir: string;
  binaries: PostgresBinaries;
  /** Owner of the folder if this process is root. */
  account: SystemAccount | undefined;
  signal: AbortSignal | undefined;
}

export const databaseName = 'relata';
export const databaseUser = 'relata';

/** Ensures that the folder is a data folder of this version, and returns the database user's password. */
export async function prepareData(options: DataOptions): Promise<string> {
  const { dataDir, account } = options;
  const version = await readVersion(dataDir);
  if (version === undefined) await initialise(options);
  else if (version !== String(options.binaries.major ?? postgresMajor))
    throw new Error(versionMessage(dataDir, version));
  if (account) await handOver(dataDir, account);
  return readPassword(dataDir);
}

/** Returns the major version that wrote the folder; undefined if it is empty or missing. */
export async function readVersion(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(foreignMessage(dataDir), { cause });
  }
}

function versionMessage(dataDir: string, version: string): string {
  return (
    `The data in ${dataDir} was written by PostgreSQL ${version}, and this is PostgreSQL ${postgresMajor}. ` +
    'Start again with `npm start -- --fresh` (this deletes the data), or dump it with the old version ' +
    'and restore it into the new one.'
  );
}

// The data folder is created under another name and renamed when complete: a kill at any moment leaves either no data
// folder or a complete one.
async function initialise(options: DataOptions): Promise<void> {
  const { dataDir, account } = options;
  await refuseForeignFiles(dataDir);
  await removeHalfMade(dataDir);
  const making = await mkdtemp(`${dataDir}.making-`);
  try {
    const data = join(making, 'data');
    const passwordFile = join(making, 'password');
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (account) await handOver(making, account);
    await initdb(data, passwordFile, options);
    await createDatabase(data, options);
    await rename(passwordFile, passwordPath(data));
    await rename(data, dataDir);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function refuseForeignFiles(dataDir: string): Promise<void> {
  const found = existsSync(dataDir) ? await readdir(dataDir) : [];
  if (found.length > 0) throw new Error(`${dataDir} is not empty and holds no PostgreSQL data.`);
}

async function removeHalfMade(dataDir: string): Promise<void> {
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  const halfMade = (await readdir(parent)).filter((name) => name.startsWith(`${basename(dataDir)}.making-`));
  await Promise.all(halfMade.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}

// PostgreSQL's built-in locale C.UTF-8 sorts and changes case in the same way on every machine, whatever its C library.
async function initdb(data: string, passwordFile: string, options: DataOptions): Promise<void> {
  const { major = Number(postgresMajor) } = options.binaries;
  const builtin = major < builtinLocaleSince ? [] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const locale = ['--encoding=UTF8', '--locale=C', ...builtin];
  const login = ['--auth=scram-sha-256', `--username=${databaseUser}`, `--pwfile=${passwordFile}`];
  await runAs(options, options.binaries.initdb, [...locale, ...login, '--no-instructions', '-D', data]);
}

// Single-user mode needs no connection, so no other client can interfere.
async function createDatabase(data: string, options: DataOptions): Promise<void> {
  const statement = `CREATE DATABASE ${databaseName}\n`;
  await runAs(options, options.binaries.postgres, ['--single', '-D', data, 'postgres'], statement);
}

async function runAs({ account, signal }: DataOptions, program: string, words: string[], input = ''): Promise<void> {
  const { command, args, ...ids } = launch(program, words, account, 'KILL');
  const running = run(command, args, { ...ids, cwd: '/', timeout: initTimeoutMs, signal });
  running.child.stdin?.end(input);
  try {
    await running;
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new Error(`${basename(program)} failed: ${said}`, { cause });
  }
}

async function handOver(path: string, { uid, gid }: SystemAccount): Promise<void> {
  const owner = await stat(path);
  if (owner.uid !== uid) await run('chown', ['-R', `${uid}:${gid}`, path]);
}

function passwordPath(dataDir: string): string {
  return join(dataDir, 'relata.password');
}

async function readPassword(dataDir: string): Promise<string> {
  try {
    return (await readFile(passwordPath(dataDir), 'utf8')).trim();
  } catch (cause) {
    throw new Error(foreignMessage(dataDir), { cause });
  }
}

function foreignMessage(dataDir: string): string {
  return (
    `The data in ${dataDir} cannot be read: it was made by another user or by hand. ` +
    'Start as that user, or start again with `npm start -- --fresh` (this deletes the data).'
  );
}
