import { join } from 'node:path';
import type { Exit } from '@relata/embedded';
import { startApp } from '@relata/testbed/program';
import { type AppName, serviceOf } from '../../services.ts';

export interface ReplicaOptions {
  app: AppName;
  /** Name of its log, and its name in errors. */
  name: string;
  /** Module to load before the app. */
  preload?: string | undefined;
  env: Record<string, string>;
  folder: string;
  /** Time from the request to stop until the process is killed, like terminationGracePeriodSeconds. */
  graceMs: number;
  signal: AbortSignal;
}

/** The exit of a replica, and the time from the request to stop until the exit. */
export interface Stopped extends Exit {
  app: AppName;
  name: string;
  tookMs: number;
}

/** A process of an app, on a port of its own. */
export interface Replica {
  name: string;
  url: string;
  hasEnded(): boolean;
  /** Stops the process, and kills it after its grace time. */
  stop(): Promise<Stopped>;
}

export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { app, name, preload, env, folder, graceMs, signal } = options;
  const service = serviceOf(app);
  const program = await startApp(service, {
    name,
    nodeOptions: preload ? ['--import', preload] : [],
    env: { LOG_LEVEL: 'warn', ...env },
    logFile: join(folder, `${name}.log`),
    graceMs,
    hasOwnSession: true,
    signal,
  });
  const stop = async () => {
    const askedAt = performance.now();
    await program.stop();
    return { app, name, ...(await program.exited), tookMs: performance.now() - askedAt };
  };
  return { name, url: program.url, hasEnded: () => program.ending() !== undefined, stop };
}
