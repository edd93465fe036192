import { freePorts } from '@relata/embedded';
import { appNames, type AppName } from '../../services.ts';
import { type AppOptions, startApp } from '../supervisor/app-process.ts';
import { freshLog } from '../supervisor/log-files.ts';
import type { ProcessGroup } from '../supervisor/process-group.ts';
import type { StackFile } from './stack-file.ts';

interface AppAddress {
  url: string;
  port: number;
  metricsPort: number;
}

export type AppAddresses = Record<AppName, AppAddress>;

/** Chooses the addresses of the apps once, so that a restarted app keeps the address that the gateway knows. */
export async function chooseAppAddresses(): Promise<AppAddresses> {
  const ports = await freePorts(appNames.length * 2);
  return ofEachApp((_, at) => addressOf(ports[at * 2]!, ports[at * 2 + 1]!));
}

function addressOf(port: number, metricsPort: number): AppAddress {
  return { url: `http://127.0.0.1:${port}`, port, metricsPort };
}

export interface AppsOptions extends Pick<
  AppOptions,
  'isBundled' | 'databaseUrl' | 'hasOwnDatabase' | 'natsUrl' | 'settings'
> {
  addresses: AppAddresses;
  processes: ProcessGroup;
}

/** A function that returns the current entry of an app's process in `stack.json`. */
export type DescribedApp = () => StackFile['services'][AppName];

/** Returns a start function for each app. It resolves once the app is ready. */
export function appStarts({ addresses, processes, ...common }: AppsOptions) {
  return appNames.map((name) => async (firstStart: AbortSignal): Promise<DescribedApp> => {
    const { port, metricsPort } = addresses[name];
    const options = { name, port, metricsPort, ...common, logFile: await freshLog(name) };
    const kept = await processes.keep(name, (signal) => startApp({ ...options, signal }), firstStart);
    return () => ({ url: kept.running.url, pid: kept.running.pid });
  });
}

/** Returns a value for each app by its name, in the order of the services. */
export function ofEachApp<Value>(valueOf: (name: AppName, at: number) => Value): Record<AppName, Value> {
  return Object.fromEntries(appNames.map((name, at) => [name, valueOf(name, at)])) as Record<AppName, Value>;
}
