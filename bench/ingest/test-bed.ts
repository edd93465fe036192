import type { Service } from '@relata/service';
import { openServers } from '@relata/testbed/servers';
import { type Program, startProgram } from '@relata/testbed/program';
import { service as receiver } from '@relata/webhook-ingest/service';
import { service as worker } from '@relata/workflow-worker/service';
import { createSite, signingKeys, type Site } from './site.ts';

export interface TestBed extends AsyncDisposable {
  folder: string;
  postgresVersion: string;
  /** The process ids of the servers, to measure their processor time. */
  pids: { postgres: number; nats: number };
  /** Creates a database with one organization. */
  openSite(name: string): Promise<Site>;
  startFloor(site: Site, options: StartOptions): Promise<Program>;
  startReceiver(site: Site, options: StartOptions): Promise<Program>;
  startWorker(site: Site, options: StartOptions): Promise<Program>;
  /** Starts a receiver that only inserts each post. */
  startInsertOnly(site: Site): Promise<Program>;
}

export interface StartOptions {
  /** Prefix of NATS subjects and streams. Processes that exchange messages need the same prefix. */
  prefix: string;
  /** True if the address of NATS refuses connections. */
  isNatsAway?: boolean;
  nodeOptions?: string[];
}

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  // PostgreSQL records when each transaction was committed. No other setting is changed.
  const settings = { track_commit_timestamp: 'on' };
  const servers = await openServers(stack, { name: 'bench', settings, onProgress });
  const { folder, postgres, postgresVersion, nats } = servers;
  const start = (
    service: Service,
    { url }: Site,
    { prefix, isNatsAway = false, nodeOptions = [] }: StartOptions,
    file?: URL,
  ) =>
    servers.start(service, {
      ...(file && { file }),
      env: {
        ...environment,
        DATABASE_URL: url,
        NATS_PREFIX: prefix,
        ...(isNatsAway && { NATS_URL: 'nats://127.0.0.1:1' }),
      },
      nodeOptions,
    });
  const opened = stack.move();
  return {
    folder,
    postgresVersion,
    pids: { postgres: postgres.pid, nats: nats.pid },
    openSite: async (name) => opened.use(await createSite(await servers.createDatabase(name))),
    // The floor is another program, started with the receiver's settings and Node options.
    startFloor: (site, options) => start(receiver, site, options, new URL('./floor.worker.ts', import.meta.url)),
    startReceiver: (site, options) => start(receiver, site, options),
    startWorker: (site, options) => start(worker, site, options),
    startInsertOnly: ({ url }) =>
      startProgram({
        name: 'insert-only',
        file: new URL('./insert-only.worker.ts', import.meta.url),
        logFile: servers.logFile,
        env: { DATABASE_URL: url },
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Everything is enabled as in production, except the limit on a single trigger. */
const environment = {
  WEBHOOK_RATE_LIMIT: 'off',
  STOP_DRAIN_MS: '1',
  SIGNING_KEYS: signingKeys,
};
