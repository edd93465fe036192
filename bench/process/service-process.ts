import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface ServiceOptions {
  /** The program's TypeScript file. */
  file: URL;
  /** Its standard output and error go here, as they would on a server. */
  logFile: string;
  env: Record<string, string>;
  nodeOptions?: string[];
}

/** A program under load in a process of its own; it says `{ type: 'ready', url }` over the channel. */
export interface ServiceProcess extends AsyncDisposable {
  url: string;
  pid: number;
}

const readyTimeoutMs = 15_000;
const stopTimeoutMs = 15_000;

export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const log = openSync(options.logFile, 'a');
  const child = fork(options.file, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...options.env },
    execArgv: options.nodeOptions ?? [],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const url = await readyUrl(child, options);
  return { url, pid: child.pid!, [Symbol.asyncDispose]: () => stop(child) };
}

async function readyUrl(child: ChildProcess, { file, logFile }: ServiceOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('was not ready in time')), readyTimeoutMs);
  child.on('message', (message: { type?: string; url?: string }) => {
    if (message.type === 'ready' && message.url) resolve(message.url);
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
