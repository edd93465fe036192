import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suiteBundleOf } from '@relata/bundle';
import { type Database, openDatabase } from '@relata/db';
import { nodeEnvironment } from '@relata/service';
import { type ServiceProcess, startService } from '@relata/testbed/service-process';
import { memoryMbOf } from '../../generate/memory.ts';
import { type AppName, serviceOf } from '../../services.ts';
import { paths } from '../../local/paths.ts';
import type { Servers } from './servers.ts';

/** The address of each app of a row. */
export type Urls = Partial<Record<AppName, string>>;

export interface BedOptions {
  servers: Servers;
  /** The name of its database, and the prefix of its NATS subjects. */
  name: string;
  apps: readonly AppName[];
  settings?: Readonly<Record<string, string>> | undefined;
}

/** Node takes half of what an app is given. */
const heapMbOf = (app: AppName) => memoryMbOf(app) / 2;

/** The service for one row: a database of its own, and apps with the settings of production. */
export class TestBed implements AsyncDisposable {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly servers: Servers;
  readonly natsPrefix: string;
  readonly apps: Readonly<Partial<Record<AppName, ServiceProcess>>>;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    options: BedOptions,
    databaseUrl: string,
    database: Database,
    apps: TestBed['apps'],
    stack: AsyncDisposableStack,
  ) {
    this.servers = options.servers;
    this.natsPrefix = options.name;
    this.databaseUrl = databaseUrl;
    this.database = database;
    this.apps = apps;
    this.#stack = stack;
  }

  static async open(options: BedOptions): Promise<TestBed> {
    const { servers, name } = options;
    await using stack = new AsyncDisposableStack();
    const databaseUrl = await servers.createDatabase(name);
    stack.defer(() => servers.dropDatabase(name));
    const database = stack.use(
      openDatabase({ url: databaseUrl, name: 'neighbours', poolMax: 4, statementTimeoutMs: 120_000 }),
    );
    const started = await Promise.all(
      options.apps.map(async (app) => [app, stack.use(await startApp(app, databaseUrl, options))] as const),
    );
    return new TestBed(options, databaseUrl, database, Object.fromEntries(started), stack.move());
  }

  get urls(): Urls {
    return Object.fromEntries(Object.entries(this.apps).map(([app, { url }]) => [app, url]));
  }

  /** Apps that have ended by themselves, with the signal or exit code. */
  endedApps(): string[] {
    return Object.entries(this.apps).flatMap(([app, process]) => {
      const ending = process.ending();
      return ending === undefined ? [] : [`${app} ended (${ending})`];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function startApp(
  app: AppName,
  databaseUrl: string,
  { servers, name, settings }: BedOptions,
): Promise<ServiceProcess> {
  const { outside } = servers;
  return startService({
    file: pathToFileURL(await suiteBundleOf(app)),
    logFile: join(servers.folder, `${name}.log`),
    nodeOptions: [...serviceOf(app).nodeOptions, `--max-old-space-size=${heapMbOf(app)}`],
    env: {
      ...nodeEnvironment(paths.compiled),
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      STOP_DRAIN_MS: '1',
      STOP_TIMEOUT_MS: '1500',
      // As behind the proxy of compose; each visitor then has an address.
      TRUST_PROXY: '1',
      DATABASE_URL: databaseUrl,
      NATS_URL: servers.nats.url,
      NATS_PREFIX: name,
      OUTBOUND_ALLOW: '127.0.0.1/32,localhost',
      KNOWLEDGE_DIR: paths.knowledge,
      KNOWLEDGE_BASE_URL: 'https://acme.example/docs/',
      OPENAI_API_KEY: 'sk-neighbours',
      OPENAI_BASE_URL: `${outside.url}/v1`,
      CHAT_MODEL: 'neighbours',
      TEAM_CHANNEL_WEBHOOK_URL: `${outside.url}/channel`,
      ...settings,
    },
  });
}
