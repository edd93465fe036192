import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { type NatsServer, type PostgresServer, startNats, startPostgres } from '@relata/embedded';
import { nodeEnvironment, type Service } from '@relata/service';
import { entryOf, type ServiceProcess, startService } from './service-process.ts';

export interface ServersOptions {
  /** Begins the name of the folder. */
  name: string;
  /** Settings of PostgreSQL beyond the defaults. fsync and synchronous_commit stay on. */
  settings?: Record<string, string>;
  onProgress?: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal;
}

export interface StartOptions {
  /** The program, if it is not the service itself. */
  file?: URL;
  env?: Record<string, string>;
  /** Flags beyond those of the service. */
  nodeOptions?: readonly string[];
}

/** A PostgreSQL and a NATS of one suite. */
export interface Servers {
  folder: string;
  /** The output of the processes. */
  logFile: string;
  postgres: PostgresServer;
  postgresVersion: string;
  nats: NatsServer;
  /** Creates a database with the content of the first one, to which nothing may be connected; returns its URL. */
  createDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Starts a service with these servers and the first database. Its code is compiled and cached before. */
  start(service: Service, options?: StartOptions): Promise<ServiceProcess>;
}

const binDir = resolve(import.meta.dirname, '../../.local/bin');
const version = statement<{ server_version: string }>('testbed.version', 'SHOW server_version');

/** Starts a PostgreSQL and a NATS in a folder that is deleted afterwards. */
export async function openServers(
  stack: AsyncDisposableStack,
  { name, settings = {}, ...starting }: ServersOptions,
): Promise<Servers> {
  const folder = await openFolder(stack, name);
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings, ...starting });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir, ...starting });
  stack.defer(() => nats.stop());
  const urlOf = (database: string) => Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href;
  const admin = stack.use(openDatabase({ url: urlOf('postgres'), name: 'testbed', poolMax: 1 }));
  const run = (sql: string) => admin.query(statement('', sql), []);
  const [row] = await admin.query(version, []);
  const logFile = join(folder, 'services.log');
  const given = { DATABASE_URL: postgres.url, NATS_URL: nats.url, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' };
  const compiled = new Set<string>();
  return {
    folder,
    logFile,
    postgres,
    postgresVersion: row!.server_version,
    nats,
    createDatabase: async (database) => {
      await run(`CREATE DATABASE ${database} TEMPLATE ${new URL(postgres.url).pathname.slice(1)}`);
      return urlOf(database);
    },
    dropDatabase: async (database) => void (await run(`DROP DATABASE ${database} WITH (FORCE)`)),
    start: async (service, { file, env, nodeOptions = [] } = {}) => {
      const options = {
        file: file ?? (await entryOf(service, nodeOptions)),
        logFile,
        env: { ...nodeEnvironment(join(folder, 'compile-cache')), ...given, ...env },
        nodeOptions: service.nodeOptions,
      };
      // As after the first start on any machine. A profile is of the second start alone.
      if (!compiled.has(options.file.href)) await (await startService(options))[Symbol.asyncDispose]();
      compiled.add(options.file.href);
      return startService({ ...options, nodeOptions: [...service.nodeOptions, ...nodeOptions] });
    },
  };
}

/** Creates a folder for the servers of one suite; the stack deletes it. */
export async function openFolder(stack: AsyncDisposableStack, name: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `relata-${name}-`)));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755);
  return folder;
}
