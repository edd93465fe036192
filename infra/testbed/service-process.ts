import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlePrograms } from '@relata/bundle';
import type { Service } from '@relata/service';

export interface ServiceOptions {
  /** The program's first file. */
  file: URL;
  /** Its standard output and error go here, as they would on a server. */
  logFile: string;
  env: Record<string, string>;
  nodeOptions?: readonly string[];
}

/** What a service is started from: its bundle, as in production. A profile is of the sources, for their places to be read. */
export async function entryOf({ name }: Pick<Service, 'name'>, nodeOptions: readonly string[] = []): Promise<URL> {
  if (nodeOptions.includes('--cpu-prof')) return new URL(`../../apps/${name}/src/main.ts`, import.meta.url);
  const { folder } = await bundlePrograms();
  return pathToFileURL(join(folder, `${name}.mjs`));
}

/** A program under load in a process of its own; it sends `{ type: 'ready', url, metricsUrl }` over the channel. */
export interface ServiceProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** The address of its metrics, if it has any. */
  metricsUrl: string | undefined;
  /** The signal or exit code that it ended with; undefined while it runs. */
  ending(): string | undefined;
}

/** A bound, not an expectation: several apps start at once on a busy machine. */
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const log = openSync(options.logFile, 'a');
  const child = fork(options.file, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...options.env },
    execArgv: [...(options.nodeOptions ?? [])],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const { url, metricsUrl } = await ready(child, options);
  const ending = () => child.signalCode ?? child.exitCode?.toString();
  return { url, metricsUrl, pid: child.pid!, ending, [Symbol.asyncDispose]: () => stop(child) };
}

type Ready = Pick<ServiceProcess, 'url' | 'metricsUrl'>;

async function ready(child: ChildProcess, { file, logFile }: ServiceOptions): Promise<Ready> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  const timer = setTimeout(() => reject(new Error('was not ready in time')), readyTimeoutMs);
  child.on('message', (message: { type?: string; url?: string; metricsUrl?: string }) => {
    if (message.type === 'ready' && message.url) resolve({ url: message.url, metricsUrl: message.metricsUrl });
  });
  child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  try {
    return await promise;
  } catch (error) {
    child.kill('SIGKILL');
    const tail = (await readFile(logFile, 'utf8')).slice(-2_000);
    throw new Error(`${file.pathname} ${(error as Error).message}\n${tail}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}
