import { join } from 'node:path';
import { suiteBundleOf } from '@relata/bundle';
import { type Exit, type ServerProcess, spawnServer } from '@relata/embedded';
import { nodeEnvironment } from '@relata/service';
import { paths } from '../../local/paths.ts';
import { type AppName, entryOf, serviceOf } from '../../services.ts';

export interface ReplicaOptions {
  app: AppName;
  /** Of its log, and in the database. */
  name: string;
  /** A module that is loaded before the app, which then runs from its sources: what it changes is inside of a bundle. */
  preload?: string | undefined;
  env: Record<string, string>;
  folder: string;
  /** After which it would be killed, as by terminationGracePeriodSeconds. */
  graceMs: number;
  signal: AbortSignal;
}

/** How a replica ended, and when after it was asked to. */
export interface Stopped extends Exit {
  app: AppName;
  name: string;
  tookMs: number;
}

const readyTimeoutMs = 60_000;
const killedWithinMs = 2_000;

/** One process of an app, on a port of its own. */
export class Replica {
  readonly app: AppName;
  readonly name: string;
  readonly url: string;
  readonly #server: ServerProcess;

  private constructor({ app, name }: ReplicaOptions, server: ServerProcess, url: string) {
    this.app = app;
    this.name = name;
    this.url = url;
    this.#server = server;
  }

  /** Returns when it serves. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { app, name, preload, env, folder, graceMs, signal } = options;
    const entry = preload ? ['--import', preload, entryOf(app)] : [await suiteBundleOf(app)];
    let url: string | undefined;
    const server = await spawnServer({
      name,
      launch: {
        command: process.execPath,
        args: [...serviceOf(app).nodeOptions, ...entry],
      },
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_ENV: 'production',
        LOG_LEVEL: 'warn',
        ...nodeEnvironment(paths.compiled),
        ...env,
        PORT: '0',
        METRICS_PORT: '0',
      },
      logFile: join(folder, `${name}.log`),
      stopSteps: [
        { signal: 'SIGTERM', waitMs: graceMs },
        { signal: 'SIGKILL', waitMs: killedWithinMs },
      ],
      onMessage: (message) => (url ??= (message as { url?: string }).url),
      isReady: () => Promise.resolve(url !== undefined),
      readyTimeoutMs,
      signal,
    });
    return new Replica(options, server, url!);
  }

  /** Asks it to end, and kills it when its time is over. */
  async stop(): Promise<Stopped> {
    const askedAt = performance.now();
    await this.#server.stop();
    const { app, name } = this;
    return { app, name, ...(await this.#server.exited), tookMs: performance.now() - askedAt };
  }
}
