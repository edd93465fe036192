import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { follow, modelFile, modelUrl } from '@relata/testbed/model';
import { openFolder } from '@relata/testbed/servers';
import { startService } from '@relata/testbed/service-process';
import { Outside } from '@relata/testbed/outside';
import { Random } from '@relata/testbed/random';
import { type Gateway, openGateway } from '../../local/gateway/gateway.ts';
import { paths } from '../../local/paths.ts';
import { type AppName, appNames } from '../../services.ts';
import { Replica, type Stopped } from './replica.ts';
import { Rotation } from './rotation.ts';

/** The servers that all replicas share; the database holds the schema of today. */
export interface Servers {
  /** Of the apps. */
  databaseUrl: string;
  /** Of the role that owns the tables. */
  ownerUrl: string;
  natsUrl: string;
}

export interface TestBedOptions {
  servers: Servers;
  /** Replicas of each app. */
  replicas: number;
  /** How long a replica serves on after it was asked to stop, and in what time it has ended, by app. */
  drainMs: (app: AppName) => number;
  stopMs: (app: AppName) => number;
  /** How often a balancer asks replicas whether they are ready. */
  probeMs: number;
  /** How long an answer of the chat goes on. */
  answerMs: number;
  signal: AbortSignal;
}

/** Beyond the time in which a replica ends by itself, as Kubernetes has it. */
const marginMs = 5_000;
/** So that a request that waits behind the lock of a migration fails, rather than being late. */
const statementTimeoutMs = 5_000;
const preload = pathToFileURL(join(import.meta.dirname, '../next-release-preload.ts')).href;
const answerTokens = 40;

/** Replicas of every app behind the local gateway, which sends requests to those that are ready. */
export class TestBed implements AsyncDisposable {
  readonly gateway: Gateway;
  readonly outside: Outside;
  readonly folder: string;
  /** Of the apps that serve requests. */
  readonly rotations: Readonly<Record<AppName, Rotation>>;
  readonly #options: TestBedOptions;
  readonly #env: Record<string, string>;
  readonly #running = new Map<AppName, Replica[]>(appNames.map((app) => [app, []]));
  readonly #stack: AsyncDisposableStack;
  #started = 0;

  private constructor(
    options: TestBedOptions,
    opened: Pick<TestBed, 'gateway' | 'outside' | 'folder' | 'rotations'> & { env: Record<string, string> },
    stack: AsyncDisposableStack,
  ) {
    this.gateway = opened.gateway;
    this.outside = opened.outside;
    this.folder = opened.folder;
    this.rotations = opened.rotations;
    this.#options = options;
    this.#env = opened.env;
    this.#stack = stack;
    stack.defer(async () => void (await Promise.all([...this.#running.values()].flat().map((each) => each.stop()))));
  }

  static async open(options: TestBedOptions): Promise<TestBed> {
    await using stack = new AsyncDisposableStack();
    const folder = await openFolder(stack, 'rolling');
    const outside = stack.use(await Outside.start(new Random(1)));
    const model = stack.use(await startService({ file: modelFile, logFile: join(folder, 'model.log'), env: {} }));
    await follow(model, { firstMs: 20, tokens: answerTokens, gapMs: options.answerMs / answerTokens });
    const rotations = Object.fromEntries(
      appNames.map((app) => [app, stack.use(new Rotation(options.probeMs))]),
    ) as Record<AppName, Rotation>;
    const gateway = await openGateway({ port: 0, targets: rotations });
    stack.defer(() => gateway.close(0));
    const env = { ...settingsOf(options.servers), OPENAI_BASE_URL: modelUrl(model) };
    return new TestBed(options, { gateway, outside, folder, rotations, env }, stack.move());
  }

  /** Starts all replicas, of the release of today. */
  async start(): Promise<void> {
    const places = Array.from({ length: this.#options.replicas }, (_, at) => at);
    await Promise.all(appNames.flatMap((app) => places.map(() => this.#add(app, undefined))));
  }

  /** Replaces the replicas of an app, one after another, each by one of the next release that is ready before. */
  async roll(app: AppName): Promise<Stopped[]> {
    const stopped: Stopped[] = [];
    const replicas = this.#running.get(app)!;
    for (const old of replicas.slice()) {
      await this.#add(app, preload);
      stopped.push(await old.stop());
      replicas.splice(replicas.indexOf(old), 1);
    }
    return stopped;
  }

  /** The environment and the flags with which the operator's tool is one of the next release. */
  readonly nextTool = () => ({ env: this.#env, execArgv: ['--import', preload] });

  async #add(app: AppName, release: string | undefined): Promise<void> {
    const { drainMs, stopMs, signal } = this.#options;
    const env = { ...this.#env, STOP_DRAIN_MS: String(drainMs(app)), STOP_TIMEOUT_MS: String(stopMs(app)) };
    const name = `${app}-${++this.#started}`;
    const graceMs = stopMs(app) + marginMs;
    const replica = await Replica.start({ app, name, preload: release, env, folder: this.folder, graceMs, signal });
    this.#running.get(app)!.push(replica);
    await this.rotations[app].add(replica);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Limits on single clients are off: the load is one. */
const settingsOf = ({ databaseUrl, ownerUrl, natsUrl }: Servers): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DATABASE_MIGRATION_URL: ownerUrl,
  DATABASE_POOL_MAX: '4',
  DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
  NATS_URL: natsUrl,
  NATS_PREFIX: new URL(databaseUrl).pathname.slice(1),
  TRUST_PROXY: '1',
  API_RATE_LIMIT: 'off',
  WEBHOOK_RATE_LIMIT: 'off',
  CHAT_RATE_LIMIT: 'off',
  CHAT_DAILY_TOKENS: 'off',
  CHAT_FIRST_TOKEN_MS: '30000',
  OPENAI_API_KEY: 'sk-rolling',
  CHAT_MODEL: 'rolling',
  KNOWLEDGE_DIR: paths.knowledge,
  KNOWLEDGE_BASE_URL: 'https://acme.example/docs/',
  OUTBOUND_ALLOW: '127.0.0.1/32',
});
