import { mkdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { onFreePort } from '../free-port.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binary.ts';
import { databaseName, databaseUser, prepareData, readVersion } from './postgres-data.ts';
import { postgresStopSteps, stopLeftoverPostgres } from './postgres-leftover.ts';
import { launch, serverAccount, type Launch } from '../process/server-account.ts';
import { spawnServer, type ServerProcess } from '../process/server-process.ts';

export interface PostgresOptions {
  /**
   * Data folder, created and initialised if missing. A server that still uses it after its supervisor was killed is
   * replaced.
   */
  dataDir: string;
  /** Port; a free one by default. */
  port?: number | undefined;
  /** File that its output is appended to; by default `postgres.log` in the data folder. */
  log?: string;
  /** Server settings beyond the defaults, as in postgresql.conf. */
  settings?: Record<string, string | number | boolean>;
  /** Programs of another PostgreSQL version. By default, those of the platform's package are used. */
  binaries?: PostgresBinaries;
  onProgress?: (line: string) => void;
  /** Aborts a start that is not ready yet. */
  signal?: AbortSignal;
}

export interface PostgresServer extends ServerProcess {
  url: string;
  dataDir: string;
}

const readyTimeoutMs = 60_000;

/**
 * Starts PostgreSQL on 127.0.0.1: version 18, unless other programs are given. The database `relata` exists when it
 * returns.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const dataDir = await settledPath(options.dataDir);
  const binaries = options.binaries ?? (await findPostgres());
  const account = serverAccount([binaries.postgres, dirname(dataDir)]);
  await stopLeftoverPostgres(dataDir);
  if ((await readVersion(dataDir)) === undefined) options.onProgress?.('initialising PostgreSQL');
  const password = await prepareData({ dataDir, binaries, account, signal: options.signal });
  const { port, server } = await onFreePort(options.port, (port) => {
    const settings = Object.entries({ port, ...defaults, ...options.settings });
    const args = ['-D', dataDir, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    return spawnPostgres(dataDir, launch(binaries.postgres, args, account, 'INT'), options);
  });
  const url = `postgres://${databaseUser}:${password}@127.0.0.1:${port}/${databaseName}`;
  return { ...server, url, dataDir };
}

// Resolves symbolic links, because the processes of a leftover server are found by the real path of their folder.
async function settledPath(dataDir: string): Promise<string> {
  const parent = dirname(resolve(dataDir));
  await mkdir(parent, { recursive: true });
  return join(await realpath(parent), basename(dataDir));
}

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

function spawnPostgres(dataDir: string, command: Launch, { log, signal }: PostgresOptions): Promise<ServerProcess> {
  return spawnServer({
    name: 'PostgreSQL',
    launch: command,
    logFile: log ?? join(dataDir, 'postgres.log'),
    stopSteps: postgresStopSteps,
    isReady: (pid) => saysReady(dataDir, pid),
    readyTimeoutMs,
    signal,
  });
}

// Reads the eighth line of postmaster.pid, like pg_ctl. `standby` counts as ready, because a server in recovery already
// accepts reads.
async function saysReady(dataDir: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
}
