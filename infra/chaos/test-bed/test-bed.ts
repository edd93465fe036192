import { type Database, openDatabase } from '@relata/db';
import { NatsCluster } from '@relata/embedded';
import { openFolder } from '@relata/testbed/servers';
import { newSigningKeys } from '@relata/testbed/site';
import { binDir } from '@relata/testbed/places';
import type { AppName } from '../../services.ts';
import { AppSlot } from './app-slot.ts';
import { Outside } from '@relata/testbed/outside';
import { TestPostgres } from './test-postgres.ts';
import { Random } from '@relata/testbed/random';
import { Timeline } from '../evidence/timeline.ts';

export interface TestBedOptions {
  seed: number;
  /** NATS servers: 1, or 3 that share their streams. */
  natsNodes: number;
  /** The time after which a worker that does not renew its leases loses its runs. */
  leaseMs: number;
  say: (line: string) => void;
  /** Aborts the start, and the faults. */
  signal: AbortSignal;
}

const apisCount = 2;
const receiversCount = 2;
const workersCount = 3;

/** The processes of the whole service. Each keeps its port when it is restarted. */
export class TestBed implements AsyncDisposable {
  readonly options: TestBedOptions;
  readonly random: Random;
  /** Keys with which the receivers decrypt the secrets of senders. */
  readonly signingKeys: string;
  readonly timeline = new Timeline();
  readonly thaws: Thaw[] = [];
  readonly postgres: TestPostgres;
  readonly nats: NatsCluster;
  readonly outside: Outside;
  /** Connects to PostgreSQL directly: faults of the apps' connections do not affect it. */
  readonly database: Database;
  readonly apis: readonly AppSlot[];
  readonly receivers: readonly AppSlot[];
  readonly workers: readonly AppSlot[];
  readonly #stack: AsyncDisposableStack;

  private constructor(
    opened: Pick<TestBed, 'options' | 'signingKeys' | 'postgres' | 'nats' | 'outside' | 'database'> & Apps,
  ) {
    this.options = opened.options;
    this.random = new Random(opened.options.seed);
    this.signingKeys = opened.signingKeys;
    this.postgres = opened.postgres;
    this.nats = opened.nats;
    this.outside = opened.outside;
    this.database = opened.database;
    this.apis = opened.apis;
    this.receivers = opened.receivers;
    this.workers = opened.workers;
    this.#stack = opened.stack;
  }

  /** Starts everything but the apps. */
  static async open(options: TestBedOptions): Promise<TestBed> {
    const { signal, natsNodes: size } = options;
    const stack = new AsyncDisposableStack();
    try {
      const folder = await openFolder(stack, 'chaos');
      const postgres = stack.use(await TestPostgres.start(folder, signal));
      const nats = stack.use(await NatsCluster.start({ folder, binDir, size, signal }));
      const outside = stack.use(await Outside.start(new Random(options.seed + 1)));
      const database = stack.use(
        openDatabase({ url: postgres.url, name: 'chaos', poolMax: 4, statementTimeoutMs: 60_000 }),
      );
      const signingKeys = newSigningKeys();
      const openSlots = slotsOf(options, folder, {
        signingKeys,
        databaseUrl: postgres.url,
        natsUrls: nats.nodes.map(({ url }) => url),
      });
      const apis = await openSlots('records-api', 'api', apisCount);
      const receivers = await openSlots('webhook-ingest', 'receiver', receiversCount);
      const workers = await openSlots('workflow-worker', 'worker', workersCount);
      const apps = { apis, receivers, workers };
      stack.defer(async () => void (await Promise.all(Object.values(apps).flatMap(closeAll))));
      return new TestBed({ options, signingKeys, postgres, nats, outside, database, ...apps, stack });
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  get apps(): readonly AppSlot[] {
    return [...this.apis, ...this.receivers, ...this.workers];
  }

  /** Starts every app, and waits until all are ready. */
  async startApps(): Promise<void> {
    await Promise.all(this.apps.map((slot) => slot.start()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Numbers of runs that a worker lost because it was frozen for longer than its lease. */
export interface Thaw {
  /** Runs that other workers claimed meanwhile. */
  overtaken: number;
  /** How often the worker noticed afterwards that a run was no longer its own. */
  fenced: number;
}

interface Apps {
  apis: readonly AppSlot[];
  receivers: readonly AppSlot[];
  workers: readonly AppSlot[];
  stack: AsyncDisposableStack;
}

function closeAll(slots: readonly AppSlot[]): Promise<void>[] {
  return slots.map((slot) => slot.close());
}

/** Returns a function that opens slots for an app. Timeouts are short, so that failures are retried within a minute. */
function slotsOf(
  { leaseMs, natsNodes, say, signal }: TestBedOptions,
  folder: string,
  { signingKeys, ...urls }: { databaseUrl: string; natsUrls: string[]; signingKeys: string },
) {
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
  return (app: AppName, name: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        AppSlot.open({ app, name: `${name}-${at + 1}`, ...urls, env, folder, say, signal }),
      ),
    );
}
