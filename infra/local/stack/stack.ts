import type { NatsServer, PostgresServer } from '@relata/embedded';
import { chooseAppAddresses, type AppAddress } from '../supervisor/app-addresses.ts';
import { startApp, type AppProcess } from '../supervisor/app-process.ts';
import { appSettings } from './app-settings.ts';
import { ensureDemo } from '../demo/demo.ts';
import { openGateway } from '../gateway/gateway.ts';
import { appNames, type AppName } from '../../services.ts';
import { openInbox } from '../inbox/inbox.ts';
import { KeptProcess } from '../supervisor/kept-process.ts';
import { deleteData, stopLeftoverApps } from './leftovers.ts';
import { migrateEmbedded, migrateOwn } from './migration.ts';
import { paths } from '../paths.ts';
import { freshLog } from '../supervisor/log-files.ts';
import { keepNats, keepPostgres } from '../supervisor/servers.ts';
import { keptSecretsKey } from './secrets-key.ts';
import { sideBySide } from '../supervisor/side-by-side.ts';
import { createSite } from '../site/site.ts';
import type { StackFile, StackOrganization } from './stack-file.ts';
import { takeStackLock } from './stack-lock.ts';
import { StackPublication } from './stack-publication.ts';
import type { StartOptions } from '../start-options.ts';
import { buildWidgetScript } from '../site/widget-build.ts';

/** The whole service on one machine. */
export class LocalStack implements AsyncDisposable {
  readonly #options: StartOptions;
  readonly #say: (line: string) => void;
  readonly #stopping: AbortSignal;
  readonly #opened = new AsyncDisposableStack();
  readonly #publication = new StackPublication(paths.stack, () => this.#describe());
  readonly #apps = new Map<AppName, KeptProcess<AppProcess>>();
  #postgres: KeptProcess<PostgresServer> | undefined;
  #nats: KeptProcess<NatsServer> | undefined;
  #baseUrl = '';
  /** As the apps get in. */
  #appDatabaseUrl = '';
  #channel: StackFile['channel'];
  /** Undefined where the environment has one. */
  #secretsKey: string | undefined;
  /** Undefined until the demo is there. */
  #organizations: StackOrganization[] | undefined;

  constructor(options: StartOptions, say: (line: string) => void, stopping: AbortSignal) {
    this.#options = options;
    this.#say = say;
    this.#stopping = stopping;
  }

  /** Opens everything in order; what was opened is closed by disposing, also after a failure half way. */
  async start(): Promise<StackFile> {
    this.#opened.use(await takeStackLock(paths.lock));
    const addresses = await chooseAppAddresses();
    const gateway = await this.#openGateway(addresses);
    await stopLeftoverApps();
    if (this.#options.isFresh) await deleteData();
    await this.#openInbox();
    await this.#startServers();
    await this.#migrate();
    if (!process.env['SECRETS_KEY']) this.#secretsKey = await keptSecretsKey(paths.secretsKey);
    await this.#startApps(addresses);
    this.#opened.defer(() => gateway.refuse());
    this.#opened.use(this.#publication);
    return this.#publication.publish();
  }

  /** Ends every process at once, without asking. */
  kill(): void {
    for (const kept of [...this.#apps.values(), this.#nats, this.#postgres]) kept?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }

  // Before any process: a taken port is the likeliest trouble, and from then on the
  // port is ours. Until an app is up its requests get 503.
  async #openGateway(targets: Record<AppName, AppAddress>) {
    const site = createSite({
      knowledgeDir: paths.knowledge,
      organizations: () => this.#organizations,
      onError: (error) => this.#say(`a page of the demo site could not be made: ${String(error)}`),
    });
    const gateway = await openGateway({ port: this.#options.port, targets, site });
    this.#baseUrl = gateway.url;
    this.#opened.defer(() => gateway.close(0));
    return gateway;
  }

  async #openInbox(): Promise<void> {
    if (this.#options.hasChannel) return;
    const inbox = await openInbox((box) => this.#say(`a message to the team's channel:\n${box}`));
    this.#opened.use(inbox);
    this.#channel = { url: inbox.url, kind: 'slack' };
  }

  async #startServers(): Promise<void> {
    this.#opened.defer(() => this.#postgres?.stop());
    this.#opened.defer(() => this.#nats?.stop());
    const { databaseUrl, natsUrl } = this.#options;
    const postgres = async (signal: AbortSignal) => void (this.#postgres = await keepPostgres(this.#keeping(signal)));
    const nats = async (signal: AbortSignal) => void (this.#nats = await keepNats(this.#keeping(signal)));
    const widget = (signal: AbortSignal) => buildWidgetScript({ say: this.#say, signal });
    await sideBySide(this.#stopping, [widget, ...(databaseUrl ? [] : [postgres]), ...(natsUrl ? [] : [nats])]);
  }

  async #migrate(): Promise<void> {
    try {
      const { databaseUrl } = this.#options;
      const done = databaseUrl ? migrateOwn(databaseUrl, process.env) : migrateEmbedded(this.#databaseUrl);
      const { appUrl, migrated } = await done;
      this.#appDatabaseUrl = appUrl;
      if (migrated.length > 0) this.#say(`brought the database up to date (${migrated.length} migrations)`);
    } catch (cause) {
      // Refused on every address of a host name is an error without a message.
      const reason = cause instanceof AggregateError ? cause.errors.join('; ') : String(cause);
      throw new Error(`The database could not be brought up to date: ${reason}`, { cause });
    }
  }

  async #startApps(addresses: Record<AppName, AppAddress>): Promise<void> {
    this.#opened.defer(async () => void (await Promise.all([...this.#apps.values()].map((app) => app.stop()))));
    const fillDemo = async () => {
      const target = { databaseUrl: this.#appDatabaseUrl, file: paths.demo, baseUrl: this.#baseUrl };
      this.#organizations = await ensureDemo(target);
    };
    const apps = appNames.map((name) => (signal: AbortSignal) => this.#keepApp(name, addresses[name], signal));
    await sideBySide(this.#stopping, [fillDemo, ...apps]);
  }

  async #keepApp(name: AppName, { port, metricsPort }: AppAddress, firstStart: AbortSignal): Promise<void> {
    const hasOwnDatabase = this.#options.databaseUrl !== undefined;
    const servers = { databaseUrl: this.#appDatabaseUrl, hasOwnDatabase, natsUrl: this.#natsUrl };
    const secretsKey = name === 'workflow-worker' && this.#secretsKey;
    const settings = {
      ...appSettings(process.env, { baseUrl: this.#baseUrl, channel: this.#channel }),
      ...(secretsKey && { SECRETS_KEY: secretsKey }),
    };
    const common = { name, port, metricsPort, ...servers, settings, logFile: await freshLog(name) };
    const start = (signal: AbortSignal) => startApp({ ...common, signal });
    this.#apps.set(name, await KeptProcess.start({ name, start, ...this.#keeping(firstStart) }));
  }

  #keeping(signal: AbortSignal) {
    const onRestart = () => {
      this.#publication
        .refresh()
        .catch((error: unknown) => this.#say(`${paths.stack} could not be written: ${String(error)}`));
    };
    return { say: this.#say, onRestart, signal };
  }

  /** Of the embedded server: as its owner, who may look into everything. */
  get #databaseUrl(): string {
    return this.#options.databaseUrl ?? this.#postgres?.running.url ?? '';
  }

  get #natsUrl(): string {
    return this.#options.natsUrl ?? this.#nats?.running.url ?? '';
  }

  #describe(): StackFile {
    const postgres = this.#postgres?.running;
    const nats = this.#nats?.running;
    const services = appNames.map((name) => {
      const { url = '', pid = 0 } = this.#apps.get(name)?.running ?? {};
      return [name, { url, pid }];
    });
    return {
      base_url: this.#baseUrl,
      pid: process.pid,
      services: Object.fromEntries(services) as StackFile['services'],
      postgres: { url: this.#databaseUrl, ...(postgres && { pid: postgres.pid, data_dir: postgres.dataDir }) },
      nats: { url: this.#natsUrl, ...(nats && { pid: nats.pid, store_dir: nats.storeDir }) },
      ...(this.#channel && { channel: this.#channel }),
      ...(this.#secretsKey && { secrets: { key_file: paths.secretsKey } }),
      organizations: this.#organizations ?? [],
    };
  }
}
