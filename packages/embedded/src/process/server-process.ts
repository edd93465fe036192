import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Launch } from './server-account.ts';
import type { StopStep } from './leftover-process.ts';
import { lastLines, logSize } from './server-log.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  pid: number;
  exited: Promise<Exit>;
  /** Sends the stop signals one after the other, and resolves once the process has ended. */
  stop(): Promise<void>;
}

export interface SpawnOptions {
  name: string;
  launch: Launch;
  logFile: string;
  /** Signals from the mildest to the strongest. After the last signal, `stop` waits for the end of the process. */
  stopSteps: readonly StopStep[];
  isReady: (pid: number) => Promise<boolean>;
  readyTimeoutMs: number;
  /** Aborts a start that is not ready yet. */
  signal?: AbortSignal | undefined;
  env?: NodeJS.ProcessEnv;
  /** Opens a channel to a Node process and receives its messages. */
  onMessage?: (message: unknown) => void;
}

const pollMs = 10;

/**
 * Starts a server and returns when it is ready. On failure, kills it and throws an error with the last lines of its
 * log.
 */
export async function spawnServer(options: SpawnOptions): Promise<ServerProcess> {
  options.signal?.throwIfAborted();
  const logStart = await logSize(options.logFile);
  const child = spawnLogged(options);
  await once(child, 'spawn');
  if (options.onMessage) child.on('message', options.onMessage);
  const server = watch(child, options.stopSteps);
  try {
    await waitUntilReady(server, options);
    return server;
  } catch (cause) {
    child.kill('SIGKILL');
    await server.exited;
    options.signal?.throwIfAborted();
    const shown = await lastLines(options.logFile, logStart);
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${shown}`.trimEnd(), { cause });
  }
}

// The log is the child's own file descriptor rather than a pipe through this process: output is kept while this process
// is busy and after it has ended. A separate session keeps Ctrl-C in the terminal away from the child, because the
// supervisor decides the order of stopping.
function spawnLogged({ launch: { command, args, ...ids }, logFile, env, onMessage }: SpawnOptions): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const channel = onMessage ? (['ipc'] as const) : [];
  try {
    return spawn(command, args, { ...ids, env, cwd: '/', detached: true, stdio: ['ignore', log, log, ...channel] });
  } finally {
    closeSync(log);
  }
}

function watch(child: ChildProcess, stopSteps: readonly StopStep[]): ServerProcess {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  if (child.pid === undefined) throw new Error('The process has no id.');
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopChild(child, exited, stopSteps));
  return { pid: child.pid, exited, stop };
}

async function stopChild(child: ChildProcess, exited: Promise<Exit>, steps: readonly StopStep[]): Promise<void> {
  for (const { signal, waitMs } of steps) {
    child.kill(signal);
    const tooLong = pause(waitMs, undefined, { ref: false });
    if (await Promise.race([exited, tooLong])) return;
  }
  await exited;
}

async function waitUntilReady(
  server: ServerProcess,
  { name, isReady, readyTimeoutMs, signal }: SpawnOptions,
): Promise<void> {
  let exit: Exit | undefined;
  void server.exited.then((value) => (exit = value));
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(server.pid))) {
    signal?.throwIfAborted();
    if (exit) throw new Error(`${name} ended while starting (${exit.signal ?? `exit code ${exit.code}`}).`);
    if (Date.now() > deadline) throw new Error(`${name} was not ready after ${readyTimeoutMs / 1000} s.`);
    await pause(pollMs);
  }
}
