import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { findSuiteBundle } from '@relata/bundle';
import { type Exit, lastLines, type ServerProcess } from '@relata/embedded';
import { nodeEnvironment, nodeOptions, type Service } from '@relata/service';
import { compiledDir } from './places.ts';

export interface ProgramOptions {
  name: string;
  file: URL | string;
  logFile: string;
  env: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  /** The program is killed if it runs for longer than this after SIGTERM. */
  graceMs?: number;
  /**
   * True to put the program into a session of its own, so that Ctrl-C and the CPU shares of our session do not apply to
   * it. Linux divides the CPU among sessions first. A flood or a load with a low priority therefore gives way only to
   * processes of its own session.
   */
  hasOwnSession?: boolean;
  signal?: AbortSignal | undefined;
}

/** A program in a process of its own. Once ready, it sends `{ type: 'ready', url, metricsUrl }` over the channel. */
export interface Program extends ServerProcess, AsyncDisposable, Ready {
  name: string;
  /** Returns the signal or exit code that it ended with; undefined while it runs. */
  ending(): string | undefined;
}

interface Ready {
  url: string;
  /** Address of its metrics, if it has any. */
  metricsUrl?: string;
}

/** An upper limit, not the expected time: several apps start at the same time on a busy machine. */
const readyTimeoutMs = 120_000;

/** Starts a program and returns once it is ready; an error shows its last lines. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, file, logFile, env, nodeOptions = [], graceMs = 15_000, hasOwnSession = false, signal } = options;
  signal?.throwIfAborted();
  const log = openSync(logFile, 'a');
  const child = fork(file, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', NODE_COMPILE_CACHE: compiledDir, ...env },
    execArgv: [...nodeOptions],
    detached: hasOwnSession,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  let exit: Exit | undefined;
  const exited = once(child, 'exit').then(([code, ended]) => (exit = { code, signal: ended } as Exit));
  const ending = () => exit && String(exit.signal ?? exit.code);
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  };
  try {
    const tooLate = AbortSignal.timeout(readyTimeoutMs);
    const either = signal ? AbortSignal.any([signal, tooLate]) : tooLate;
    const early = exited.then(() => Promise.reject(new Error(`it ended with ${ending()}`)));
    const [ready] = (await Promise.race([once(child, 'message', { signal: either }), early])) as [Ready];
    early.catch(() => undefined);
    return { ...ready, name, pid: child.pid!, exited, ending, stop, [Symbol.asyncDispose]: stop };
  } catch (cause) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`${name} did not start: ${String(cause)}\n${await lastLines(logFile, 0)}`, { cause });
  }
}

export interface AppOptions extends Omit<ProgramOptions, 'name' | 'file'> {
  /** Name of the process. The default is the name of the service. */
  name?: string;
  /** The program, if it is not the bundle of the service. */
  file?: URL | string | undefined;
}

/** Starts a service from its bundle, on free ports, with the Node options of production. */
export async function startApp(service: Service, options: AppOptions): Promise<Program> {
  return startProgram({
    ...options,
    name: options.name ?? service.name,
    file: options.file ?? (await findSuiteBundle(service.name)),
    nodeOptions: [...nodeOptions, ...(options.nodeOptions ?? [])],
    env: {
      ...nodeEnvironment(compiledDir),
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      STOP_DRAIN_MS: '1',
      ...options.env,
    },
  });
}
