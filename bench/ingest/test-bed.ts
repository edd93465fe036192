import type { Service } from '@relata/service';
import { service as receiver } from '@relata/webhook-ingest/service';
import { service as worker } from '@relata/workflow-worker/service';
import { openBenchServers } from '../servers.ts';
import { openIngestDatabase, signingKeys, type IngestDatabase } from './ingest-database.ts';

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export interface StartOptions {
  /** Prefix of NATS subjects and streams. Processes that exchange messages need the same prefix. */
  prefix: string;
  /** True if the address of NATS refuses connections. */
  isNatsAway?: boolean;
  nodeOptions?: string[];
}

export async function openTestBed(stack: AsyncDisposableStack) {
  // PostgreSQL records when each transaction was committed. No other setting is changed.
  const servers = await openBenchServers(stack, { track_commit_timestamp: 'on' });
  const { folder, postgres, postgresVersion, nats } = servers;
  const starting =
    (service: Service, file?: URL) =>
    ({ url }: IngestDatabase, { prefix, isNatsAway = false, nodeOptions = [] }: StartOptions) => {
      const away = isNatsAway && { NATS_URL: 'nats://127.0.0.1:1' };
      const env = { ...environment, DATABASE_URL: url, NATS_PREFIX: prefix, ...away };
      return servers.start(service, { file, env, nodeOptions });
    };
  return {
    folder,
    postgresVersion,
    /** The process ids of the servers, to measure their processor time. */
    pids: { postgres: postgres.pid, nats: nats.pid },
    createIngestDatabase: async (name: string) => openIngestDatabase(stack, await servers.createDatabase(name)),
    // The floor is another program, started with the receiver's settings and Node options.
    startFloor: starting(receiver, new URL('./floor.worker.ts', import.meta.url)),
    startReceiver: starting(receiver),
    startWorker: starting(worker),
    startInsertOnly: ({ url }: IngestDatabase) =>
      servers.startFile(new URL('./insert-only.worker.ts', import.meta.url), { DATABASE_URL: url }),
  };
}

/** Everything is enabled as in production, except the limit on a single trigger. */
const environment = {
  WEBHOOK_RATE_LIMIT: 'off',
  STOP_DRAIN_MS: '1',
  SIGNING_KEYS: signingKeys,
};
