import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exit } from '@relata/embedded';
import { follow, modelFile, modelUrl } from '@relata/testbed/model';
import { openFolder } from '@relata/testbed/servers';
import { knowledge } from '@relata/testbed/places';
import { type Program, startApp, startProgram } from '@relata/testbed/program';
import { startOutside } from '@relata/testbed/outside';
import { Random } from '@relata/testbed/random';
import { openGateway } from '../../local/gateway/gateway.ts';
import { type AppName, appNames, serviceOf } from '../../services.ts';
import { Rotation } from './rotation.ts';

export type Release = 'present' | 'next';

/** The servers that all replicas share; the database has the current schema. */
export interface Servers {
  databaseUrl: string;
  /** URL for the role that owns the tables. */
  ownerUrl: string;
  natsUrl: string;
}

export interface TestBedOptions {
  servers: Servers;
  replicas: number;
  /**
   * Time for which a replica continues to serve after the request to stop, and time within which it has ended, by app.
   */
  drainMs: (app: AppName) => number;
  stopMs: (app: AppName) => number;
  answerMs: number;
  signal: AbortSignal;
}

/** The exit of a replica, and the time from the request to stop until the exit. */
export interface Stopped extends Exit {
  app: AppName;
  name: string;
  tookMs: number;
}

/** Time after its stop timeout at which a replica is killed, like terminationGracePeriodSeconds in Kubernetes. */
const marginMs = 5_000;
/** Short, so that a request that waits behind the lock of a migration fails instead of being late. */
const statementTimeoutMs = 5_000;
const preload = pathToFileURL(join(import.meta.dirname, '../next-release-preload.ts')).href;
const answerTokens = 40;

/** Replicas of every app behind the local gateway, which sends requests to those that are ready. */
export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export async function openTestBed(stack: AsyncDisposableStack, options: TestBedOptions) {
  const { servers, replicas, drainMs, stopMs, answerMs, signal } = options;
  const folder = await openFolder(stack, 'rolling');
  const outside = stack.use(await startOutside(new Random(1)));
  const logFile = join(folder, 'model.log');
  const model = stack.use(await startProgram({ name: 'model', file: modelFile, logFile, env: {} }));
  await follow(model, { firstMs: 20, tokens: answerTokens, gapMs: answerMs / answerTokens });
  const rotations = Object.fromEntries(appNames.map((app) => [app, stack.use(new Rotation(drainMs(app)))])) as Record<
    AppName,
    Rotation
  >;
  const gateway = await openGateway({ port: 0, targets: rotations });
  stack.defer(() => gateway.close(0));
  const env = { ...settingsOf(servers), OPENAI_BASE_URL: modelUrl(model) };
  const flagsOf = (release: Release) => (release === 'next' ? ['--import', preload] : []);
  const running = new Map<AppName, Program[]>(appNames.map((app) => [app, []]));
  stack.defer(async () => void (await Promise.all([...running.values()].flat().map((each) => each.stop()))));
  let started = 0;
  const add = async (app: AppName, release: Release) => {
    const name = `${app}-${++started}`;
    const times = { STOP_DRAIN_MS: String(drainMs(app)), STOP_TIMEOUT_MS: String(stopMs(app)) };
    const replica = await startApp(serviceOf(app), {
      name,
      nodeOptions: flagsOf(release),
      env: { LOG_LEVEL: 'warn', ...env, ...times },
      logFile: join(folder, `${name}.log`),
      graceMs: stopMs(app) + marginMs,
      hasOwnSession: true,
      signal,
    });
    running.get(app)!.push(replica);
    await rotations[app].add(replica);
  };
  const stop = async (app: AppName, replica: Program): Promise<Stopped> => {
    const askedAt = performance.now();
    await replica.stop();
    return { app, name: replica.name, ...(await replica.exited), tookMs: performance.now() - askedAt };
  };
  return {
    gateway,
    outside,
    rotations,
    /** Starts all replicas with the current release. */
    start: async () => {
      const all = appNames.flatMap((app) => Array.from({ length: replicas }, () => app));
      await Promise.all(all.map((app) => add(app, 'present')));
    },
    /**
     * Replaces the replicas of an app one after another. Stops each once its replacement of the given release is ready.
     */
    roll: async (app: AppName, release: Release): Promise<Stopped[]> => {
      const stopped: Stopped[] = [];
      const present = running.get(app)!;
      for (const old of present.slice()) {
        await add(app, release);
        stopped.push(await stop(app, old));
        present.splice(present.indexOf(old), 1);
      }
      return stopped;
    },
    /** Returns the environment and the flags of Node with which the operator's tool runs as the tool of a release. */
    toolOf: (release: Release) => ({ env, execArgv: flagsOf(release) }),
  };
}

/** Limits on single clients are disabled, because the load is a single client. */
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
  KNOWLEDGE_DIR: knowledge.dir,
  KNOWLEDGE_BASE_URL: knowledge.baseUrl,
  OUTBOUND_ALLOW: '127.0.0.1/32',
});
