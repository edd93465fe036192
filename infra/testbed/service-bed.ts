import { join } from 'node:path';
import { openDatabase } from '@relata/db';
import type { Service } from '@relata/service';
import { knowledge } from './places.ts';
import { type Program, startApp } from './program.ts';
import { openServers, type Servers, type ServersOptions } from './servers.ts';

/** PostgreSQL, NATS and the outside servers. Several service beds share them, each with its own database. */
export interface BedServers extends Servers, AsyncDisposable {
  outside: Program;
}

export type Urls = Readonly<Record<string, string>>;

export interface ServiceBedOptions {
  servers: BedServers;
  /** Name of the database, and prefix of the NATS subjects. */
  name: string;
  services: readonly Service[];
  /** Settings that differ from those of a production installation. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** Maximum heap of an app, in megabytes. */
  heapMbOf?: (name: string) => number;
}

/** Apps with the settings of production, on a database of their own. */
export type ServiceBed = Awaited<ReturnType<typeof openServiceBed>>;

export async function openBedServers(
  name: string,
  signal: AbortSignal,
  prepare?: ServersOptions['prepare'],
): Promise<BedServers> {
  await using stack = new AsyncDisposableStack();
  const servers = await openServers(stack, { name, settings: { track_commit_timestamp: 'on' }, signal, prepare });
  const outside = stack.use(await servers.startFile(new URL('./outside-servers.worker.ts', import.meta.url)));
  const opened = stack.move();
  return { ...servers, outside, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export async function openServiceBed(options: ServiceBedOptions) {
  const { servers, name, services, settings, heapMbOf } = options;
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await servers.createDatabase(name);
  stack.defer(() => servers.dropDatabase(name));
  const database = stack.use(
    openDatabase({ url: databaseUrl, name: 'service-bed', poolMax: 4, statementTimeoutMs: 120_000 }),
  );
  const env = {
    STOP_TIMEOUT_MS: '1500',
    // With a trusted proxy, each visitor has an address of its own, as behind the proxy of Compose.
    TRUST_PROXY: '1',
    DATABASE_URL: databaseUrl,
    NATS_URL: servers.nats.url,
    NATS_PREFIX: name,
    OUTBOUND_ALLOW: '127.0.0.1/32,localhost',
    KNOWLEDGE_DIR: knowledge.dir,
    KNOWLEDGE_BASE_URL: knowledge.baseUrl,
    OPENAI_API_KEY: 'sk-suite',
    OPENAI_BASE_URL: `${servers.outside.url}/v1`,
    CHAT_MODEL: 'suite',
    TEAM_CHANNEL_WEBHOOK_URL: `${servers.outside.url}/channel`,
    ...settings,
  };
  const logFile = join(servers.folder, `${name}.log`);
  const start = async (service: Service) => {
    const nodeOptions = heapMbOf ? [`--max-old-space-size=${heapMbOf(service.name)}`] : [];
    return [service.name, stack.use(await startApp(service, { logFile, nodeOptions, env }))] as const;
  };
  const started = await Promise.all(services.map(start));
  const opened = stack.move();
  return {
    servers,
    natsPrefix: name,
    database,
    databaseUrl,
    apps: Object.fromEntries(started) as Readonly<Record<string, Program>>,
    urls: Object.fromEntries(started.map(([app, { url }]) => [app, url])) as Urls,
    /** Returns the apps that have ended by themselves, with the signal or exit code. */
    endedApps: () =>
      started.flatMap(([app, program]) => {
        const ending = program.ending();
        return ending === undefined ? [] : [`${app} ended (${ending})`];
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
