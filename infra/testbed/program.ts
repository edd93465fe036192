import { fileURLToPath } from 'node:url';
import { suiteBundleOf } from '@relata/bundle';
import { type Exit, type ServerProcess, spawnServer } from '@relata/embedded';
import { nodeEnvironment, type Service } from '@relata/service';
import { compiledDir } from './places.ts';

export interface ProgramOptions {
  /** Shown in errors. */
  name: string;
  file: URL | string;
  logFile: string;
  env: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  /** The program is killed if it runs for longer than this after SIGTERM. */
  graceMs?: number;
  /** Aborts the start. */
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

/** A bound, not an expectation: several apps start at once on a busy machine. */
const readyTimeoutMs = 60_000;
const killedWithinMs = 2_000;

/** Starts a program and returns once it is ready; an error shows its last lines. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, file, logFile, env, nodeOptions = [], graceMs = 15_000, signal } = options;
  let ready: Ready | undefined;
  const server = await spawnServer({
    name,
    launch: { command: process.execPath, args: [...nodeOptions, file instanceof URL ? fileURLToPath(file) : file] },
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    logFile,
    stopSteps: [
      { signal: 'SIGTERM', waitMs: graceMs },
      { signal: 'SIGKILL', waitMs: killedWithinMs },
    ],
    // The channel also closes when this process ends, and the program then stops itself.
    onMessage: (message) => (ready ??= message as Ready),
    isReady: () => Promise.resolve(ready !== undefined),
    readyTimeoutMs,
    signal,
  });
  let exit: Exit | undefined;
  void server.exited.then((ended) => (exit = ended));
  const ending = () => exit && String(exit.signal ?? exit.code);
  return { ...server, ...ready!, name, ending, [Symbol.asyncDispose]: () => server.stop() };
}

export interface AppOptions extends Omit<ProgramOptions, 'name' | 'file'> {
  /** Name of the process; that of the service unless given. */
  name?: string;
  /** The program, if it is not the bundle of the service. */
  file?: URL | string | undefined;
}

/** Starts a service from its bundle, on free ports, with the Node options of production. */
export async function startApp(service: Service, options: AppOptions): Promise<Program> {
  return startProgram({
    ...options,
    name: options.name ?? service.name,
    file: options.file ?? (await suiteBundleOf(service.name)),
    nodeOptions: [...service.nodeOptions, ...(options.nodeOptions ?? [])],
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
