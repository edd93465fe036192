import { openDatabase } from '@relata/db';
import { NatsCluster } from '@relata/embedded';
import { openFolder } from '@relata/testbed/servers';
import { newSigningKeys } from '@relata/testbed/fixtures';
import { binDir } from '@relata/testbed/places';
import type { AppName } from '../../services.ts';
import { openAppSlot } from './app-slot.ts';
import { startOutside } from '@relata/testbed/outside';
import { startTestPostgres } from './test-postgres.ts';
import { Random } from '@relata/testbed/random';
import { Timeline } from '../evidence/timeline.ts';

export interface TestBedOptions {
  seed: number;
  /** NATS servers: 1, or 3 that share their streams. */
  natsNodes: number;
  /** The time after which a worker that does not renew its leases loses its runs. */
  leaseMs: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Numbers of runs that a worker lost because it was frozen for longer than its lease. */
interface Thaw {
  /** Runs that other workers claimed meanwhile. */
  overtaken: number;
  /** How often the worker noticed afterwards that a run was no longer its own. */
  fenced: number;
}

/** The processes of the whole service. Each keeps its port when it is restarted. */
export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

/** Starts everything but the apps. The stack ends all processes. */
export async function openTestBed(stack: AsyncDisposableStack, options: TestBedOptions) {
  const { seed, natsNodes, leaseMs, say, signal } = options;
  const folder = await openFolder(stack, 'chaos');
  const postgres = stack.use(await startTestPostgres(folder, signal));
  const nats = stack.use(await NatsCluster.start({ folder, binDir, size: natsNodes, signal }));
  const outside = stack.use(await startOutside(new Random(seed + 1)));
  // Connects to PostgreSQL directly: faults of the apps' connections do not affect it.
  const database = stack.use(
    openDatabase({ url: postgres.url, name: 'chaos', poolMax: 4, statementTimeoutMs: 60_000 }),
  );
  /** Keys with which the receivers decrypt the secrets of senders. */
  const signingKeys = newSigningKeys();
  // Timeouts are short, so that failures are retried within a minute.
  const env = {
    DATABASE_POOL_MAX: '6',
    DATABASE_STATEMENT_TIMEOUT_MS: String(leaseMs),
    DATABASE_CONNECT_TIMEOUT_MS: '1000',
    API_RATE_LIMIT: 'off',
    WEBHOOK_RATE_LIMIT: 'off',
    WORKER_LEASE_MS: String(leaseMs),
    WORKER_CONCURRENCY: '16',
    OUTBOUND_ALLOW: '127.0.0.1/32',
    NATS_STREAM_REPLICAS: String(natsNodes),
    SIGNING_KEYS: signingKeys,
  };
  const servers = { databaseUrl: postgres.url, natsUrls: nats.nodes.map(({ url }) => url) };
  const openSlots = (app: AppName, name: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        openAppSlot({ app, name: `${name}-${at + 1}`, ...servers, env, folder, say, signal }),
      ),
    );
  const apis = await openSlots('records-api', 'api', 2);
  const receivers = await openSlots('webhook-ingest', 'receiver', 2);
  const workers = await openSlots('workflow-worker', 'worker', 3);
  const apps = [...apis, ...receivers, ...workers];
  stack.defer(async () => void (await Promise.all(apps.map((slot) => slot.close()))));
  const [timeline, thaws]: [Timeline, Thaw[]] = [new Timeline(), []];
  const random = new Random(seed);
  return {
    options,
    random,
    signingKeys,
    timeline,
    thaws,
    postgres,
    nats,
    outside,
    database,
    apis,
    receivers,
    workers,
    apps,
  };
}
