import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { type PostgresOptions, startNats, startPostgres } from '@relata/embedded';
import { buildIndexes } from '@relata/records';
import type { Service } from '@relata/service';
import { binDir, sourceOf } from './places.ts';
import { type AppOptions, startApp, startProgram } from './program.ts';

export interface ServersOptions extends Omit<PostgresOptions, 'dataDir'> {
  /** Part of the name of the folder. */
  name: string;
  /** Folder of the servers; a new one unless given. */
  folder?: string;
  /** Fills the data folder of PostgreSQL before the start. */
  prepare?: ((dataDir: string) => Promise<void>) | undefined;
  /** Role of the apps, if it is not the one that owns the tables. */
  appRole?: { name: string; password: string };
}

/** PostgreSQL and NATS for one suite. fsync and synchronous_commit are on. */
export type Servers = Awaited<ReturnType<typeof openServers>>;

const version = statement<{ server_version: string }>('testbed.version', 'SHOW server_version');

/** Starts PostgreSQL and NATS, and creates the schema. The stack stops both servers. */
export async function openServers(stack: AsyncDisposableStack, options: ServersOptions) {
  const { name, appRole, prepare, folder = await openFolder(stack, name), ...ofPostgres } = options;
  const { onProgress, signal } = options;
  const dataDir = join(folder, 'postgres');
  await prepare?.(dataDir);
  const postgres = await startPostgres({ dataDir, ...ofPostgres });
  stack.defer(() => postgres.stop());
  const starting = { ...(onProgress && { onProgress }), ...(signal && { signal }) };
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir, ...starting });
  stack.defer(() => nats.stop());
  await migrateDatabase({ url: postgres.url, ...(appRole && { appRole }) });
  await buildIndexes({ url: postgres.url });
  const urlOf = (database: string) => Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href;
  const admin = stack.use(openDatabase({ url: urlOf('postgres'), name: 'testbed', poolMax: 1 }));
  const run = (sql: string) => admin.query(statement('', sql), []);
  const [row] = await admin.query(version, []);
  const logFile = join(folder, 'services.log');
  const compiled = new Set<string>();
  return {
    folder,
    logFile,
    /** The first database of this server has the schema and no rows. */
    postgres,
    postgresVersion: row!.server_version,
    nats,
    /** Copies the first database, and returns the URL of the copy. No client may be connected to the first database. */
    createDatabase: async (database: string): Promise<string> => {
      await run(`CREATE DATABASE ${database} TEMPLATE ${new URL(postgres.url).pathname.slice(1)}`);
      return urlOf(database);
    },
    dropDatabase: async (database: string) => void (await run(`DROP DATABASE ${database} WITH (FORCE)`)),
    /** Starts a program of the suite with the first database. */
    startFile: (file: URL, env: Record<string, string> = {}) =>
      startProgram({ name: basename(file.pathname), file, logFile, env: { DATABASE_URL: postgres.url, ...env } }),
    /** Starts a service with these servers and the first database, once its code has been compiled and cached. */
    start: async (service: Service, { nodeOptions = [], env, ...more }: Partial<AppOptions> = {}) => {
      // A profile refers to lines of the sources, and covers only the second start.
      const file = more.file ?? (nodeOptions.includes('--cpu-prof') ? sourceOf(service) : undefined);
      const all = { ...more, file, logFile, env: { DATABASE_URL: postgres.url, NATS_URL: nats.url, ...env } };
      const key = String(file ?? service.name);
      // The first start on any machine compiles the code.
      if (!compiled.has(key)) await (await startApp(service, all)).stop();
      compiled.add(key);
      return startApp(service, { ...all, nodeOptions });
    },
  };
}

/** Creates a folder for the servers of one suite. The stack deletes it. */
export async function openFolder(stack: AsyncDisposableStack, name: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `relata-${name}-`)));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // PostgreSQL may run as a different user.
  await chmod(folder, 0o755);
  return folder;
}
