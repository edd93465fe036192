import { consoleLink } from '../demo/console-link.ts';
import { ensureDay, ensureDemo } from '../demo/demo.ts';
import { openGateway } from '../gateway/gateway.ts';
import { openInbox } from '../inbox/inbox.ts';
import { keptKeys, readSigningKeys } from '../kept-secrets.ts';
import { paths } from '../paths.ts';
import { createSite } from '../site/site.ts';
import type { StartOptions } from '../start-options.ts';
import { ProcessGroup } from '../supervisor/process-group.ts';
import { sideBySide } from '../supervisor/side-by-side.ts';
import { appSettings } from './app-settings.ts';
import { type AppAddresses, appStarts, type AppsOptions, chooseAppAddresses, ofEachApp } from './apps.ts';
import { deleteData, stopLeftoverApps } from './leftovers.ts';
import { migrate } from './migration.ts';
import { startServers } from './servers.ts';
import { type StackFile, type StackOrganization, StackPublication } from './stack-file.ts';
import { takeStackLock } from './stack-lock.ts';

/** The whole service on one machine. */
export class LocalStack implements AsyncDisposable {
  readonly #options: StartOptions;
  readonly #say: (line: string) => void;
  readonly #stopping: AbortSignal;
  readonly #opened = new AsyncDisposableStack();
  readonly #groups: ProcessGroup[] = [];
  #publication: StackPublication | undefined;
  #consoleLink: string | undefined;

  constructor(options: StartOptions, say: (line: string) => void, stopping: AbortSignal) {
    this.#options = options;
    this.#say = say;
    this.#stopping = stopping;
  }

  /** A path that signs in to the console once; undefined if there is no demo. */
  get consoleLink(): string | undefined {
    return this.#consoleLink;
  }

  /** Starts all processes in order. Disposing stops the started processes, also after a failed start. */
  async start(): Promise<StackFile> {
    this.#opened.use(await takeStackLock(paths.lock));
    const addresses = await chooseAppAddresses();
    let organizations: StackOrganization[] | undefined;
    const gateway = await this.#openGateway(addresses, () => organizations);
    await stopLeftoverApps();
    if (this.#options.isFresh) await deleteData();
    const channel = await this.#openInbox();
    const { postgres, nats, isBundled } = await this.#startServers();
    const isEmbedded = this.#options.databaseUrl === undefined;
    const databaseUrl = await migrate({ url: postgres().url, isEmbedded, say: this.#say });
    const keys = await keptKeys(process.env);
    const demo = { databaseUrl, file: paths.demo, baseUrl: gateway.url };
    const fillDemo = async () => {
      const signingKeys = this.#options.hasDay ? readSigningKeys(process.env, keys) : undefined;
      organizations = await ensureDemo({ ...demo, signingKeys });
      this.#consoleLink = await consoleLink(databaseUrl, organizations);
    };
    const services = await this.#startApps(fillDemo, {
      addresses,
      isBundled,
      databaseUrl,
      hasOwnDatabase: !isEmbedded,
      natsUrl: nats().url,
      settings: appSettings(process.env, { baseUrl: gateway.url, channel, keys }),
    });
    this.#opened.defer(() => gateway.refuse());
    // Posted before the stack is ready, so that the data no longer changes afterwards.
    await ensureDay(
      { ...demo, hasChannel: this.#options.hasChannel },
      (organizations ?? []).map(({ id }) => id),
    ).catch((error: unknown) => this.#say(`not all webhooks of the demo were posted: ${String(error)}`));
    return await this.#publish(() => ({
      base_url: gateway.url,
      pid: process.pid,
      services: services(),
      console: { url: `${gateway.url}/console` },
      postgres: { ...postgres(), app_url: databaseUrl },
      nats: nats(),
      ...(channel && { channel }),
      ...(keys.SECRETS_KEY && { secrets: { key_file: paths.secretsKey } }),
      ...(keys.SIGNING_KEYS && { signing: { key_file: paths.signingKeys } }),
      ...(keys.NOTIFY_KEYS && { notify: { key_file: paths.notifyKeys } }),
      organizations: organizations ?? [],
    }));
  }

  /** Ends every process at once, with SIGKILL. */
  kill(): void {
    for (const group of this.#groups.toReversed()) group.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }

  // The gateway is opened before any process starts: a port in use is the most frequent fault, and an open port cannot
  // be taken by another program. Until an app is ready, its requests are answered with 503.
  async #openGateway(targets: AppAddresses, organizations: () => StackOrganization[] | undefined) {
    const site = createSite({
      knowledgeDir: paths.knowledge,
      organizations,
      onError: (error) => this.#say(`a page of the demo site could not be made: ${String(error)}`),
    });
    const gateway = await openGateway({ port: this.#options.port, targets, site });
    this.#opened.defer(() => gateway.close(0));
    return gateway;
  }

  async #openInbox(): Promise<StackFile['channel']> {
    if (this.#options.hasChannel) return undefined;
    const inbox = await openInbox((box) => this.#say(`a message to the team's channel:\n${box}`));
    this.#opened.use(inbox);
    return { url: inbox.url, kind: 'slack' };
  }

  #startServers() {
    const processes = this.#openGroup();
    return startServers({ options: this.#options, processes, say: this.#say, stopping: this.#stopping });
  }

  async #startApps(fillDemo: () => Promise<void>, options: Omit<AppsOptions, 'processes'>) {
    const starts = appStarts({ ...options, processes: this.#openGroup() });
    const [, ...apps] = await sideBySide(this.#stopping, [fillDemo, ...starts]);
    return () => ofEachApp((_, at) => apps[at]!());
  }

  #openGroup(): ProcessGroup {
    const group = this.#opened.use(new ProcessGroup({ say: this.#say, onRestart: () => this.#refresh() }));
    this.#groups.push(group);
    return group;
  }

  #publish(describe: () => StackFile): Promise<StackFile> {
    this.#publication = this.#opened.use(new StackPublication(paths.stack, describe));
    return this.#publication.publish();
  }

  #refresh(): void {
    this.#publication
      ?.refresh()
      .catch((error: unknown) => this.#say(`${paths.stack} could not be written: ${String(error)}`));
  }
}
