import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startNats, startPostgres } from '@relata/embedded';
import { nodeEnvironment, type Service } from '@relata/service';
import { service as receiver } from '@relata/webhook-ingest/service';
import { service as worker } from '@relata/workflow-worker/service';
import pg from 'pg';
import { entryOf, type ServiceProcess, startService } from '../process/service-process.ts';
import { createSite, signingKeys, type Site } from './site.ts';

/** A PostgreSQL and a NATS for the bench alone, in a folder that is deleted afterwards. */
export interface TestBed extends AsyncDisposable {
  folder: string;
  postgresVersion: string;
  /** The process ids of the servers, to measure their processor time. */
  pids: { postgres: number; nats: number };
  /** A database of its own with an organization in it. */
  openSite(name: string): Promise<Site>;
  startFloor(site: Site, options: StartOptions): Promise<ServiceProcess>;
  startReceiver(site: Site, options: StartOptions): Promise<ServiceProcess>;
  startWorker(site: Site, options: StartOptions): Promise<ServiceProcess>;
}

export interface StartOptions {
  /** The prefix of subjects and streams; processes that exchange messages have the same. */
  prefix: string;
  /** True if the address of NATS refuses connections. */
  isNatsAway?: boolean;
  nodeOptions?: string[];
}

const root = resolve(import.meta.dirname, '../..');

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relata-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // Records when each row was committed. Nothing else is changed; fsync and synchronous_commit stay on.
  const settings = { track_commit_timestamp: 'on' };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings, onProgress });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: join(root, '.local', 'bin'), onProgress });
  stack.defer(() => nats.stop());
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  stack.defer(() => admin.end());
  const { rows } = await admin.query<{ server_version: string }>('SHOW server_version');
  const start = (
    { nodeOptions }: Pick<Service, 'nodeOptions'>,
    file: URL,
    { url }: Site,
    { prefix, isNatsAway = false, nodeOptions: more = [] }: StartOptions,
  ) =>
    startCompiled(nodeOptions, {
      file,
      logFile: join(folder, 'services.log'),
      env: {
        ...nodeEnvironment(join(folder, 'compile-cache')),
        ...environment,
        DATABASE_URL: url,
        NATS_URL: isNatsAway ? 'nats://127.0.0.1:1' : nats.url,
        NATS_PREFIX: prefix,
      },
      nodeOptions: [...nodeOptions, ...more],
    });
  const opened = stack.move();
  return {
    folder,
    postgresVersion: rows[0]!.server_version,
    pids: { postgres: postgres.pid, nats: nats.pid },
    openSite: async (name) => {
      await admin.query(`CREATE DATABASE ${name}`);
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      return opened.use(await createSite(url.href));
    },
    // The receiver with another store, and therefore with its flags.
    startFloor: (site, options) => start(receiver, new URL('./floor.worker.ts', import.meta.url), site, options),
    startReceiver: async (site, options) =>
      start(receiver, await entryOf(receiver, options.nodeOptions), site, options),
    startWorker: async (site, options) => start(worker, await entryOf(worker, options.nodeOptions), site, options),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Everything that production has is on, but for the limit on a single trigger. */
const environment = {
  PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'info',
  WEBHOOK_RATE_LIMIT: 'off',
  STOP_DRAIN_MS: '1',
  SIGNING_KEYS: signingKeys,
};

/** Starts it twice, because after the first start on any machine the compiled code is cached. */
async function startCompiled(
  flags: readonly string[],
  options: Parameters<typeof startService>[0],
): Promise<ServiceProcess> {
  const { nodeOptions: _, ...plain } = options;
  await (await startService({ ...plain, nodeOptions: flags }))[Symbol.asyncDispose]();
  return startService(options);
}
