import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..', '..');
const composeFolder = join(root, 'infra', 'compose');

/** Time limit of a Docker command. Only the build takes minutes, because it installs and compiles. */
const timeoutMs = 20 * 60_000;

const upTriesMax = 5;

/** Time that the tool waits for a connection to PostgreSQL, because a busy machine can stall for seconds. */
const patienceMs = 30_000;

interface Ran {
  status: number | null;
  /** Standard output, then standard error. */
  text: string;
  stdout: string;
}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string | undefined;
}

/** Runs the Docker client to its end. */
export function tryDocker(args: readonly string[], { cwd = root, env = {}, input }: RunOptions = {}): Ran {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', timeout: timeoutMs, input } as const;
  const { status, stdout, stderr } = spawnSync('docker', args, { ...options, maxBuffer: 64 * 1_048_576 });
  return { status, stdout: stdout ?? '', text: `${stdout ?? ''}${stderr ?? ''}` };
}

/** Runs the Docker client and returns its output. If it fails, the error shows the end of the output. */
export function docker(args: readonly string[], options?: RunOptions): string {
  const { status, stdout, text } = tryDocker(args, options);
  if (status !== 0)
    throw new Error(`docker ${args.slice(0, 4).join(' ')} ended with ${status}:\n${text.slice(-4_000)}`);
  return stdout;
}

export function hasEngine(): boolean {
  return tryDocker(['version', '--format', '{{.Server.Version}}']).status === 0;
}

/** Returns true if the image is on this machine, or could be pulled. */
export function hasImage(image: string): boolean {
  return tryDocker(['image', 'inspect', image]).status === 0 || tryDocker(['pull', '--quiet', image]).status === 0;
}

/** The stack of `infra/compose` under its own name, with these settings. */
export class Stack implements Disposable {
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string>) {
    this.#env = { ...env };
    this.#remove();
  }

  /** Changes a setting, as an edit of `.env` does. */
  set(name: string, value: string): void {
    this.#env[name] = value;
  }

  compose(args: readonly string[], input?: string): string {
    const all = ['compose', '--project-name', 'relata-check', ...args];
    return docker(all, { cwd: composeFolder, env: this.#env, input });
  }

  /**
   * Starts services and waits until they are healthy. `args` are options of `docker compose up` and names of services;
   * without names, all services without a profile are started.
   */
  up(...args: string[]): void {
    const up = ['up', '--detach', '--no-build', '--wait', '--wait-timeout', '180', ...args];
    for (let tries = 1; ; tries++) {
      try {
        return void this.compose(up);
      } catch (error) {
        // Tries again, because on a busy machine an app may answer three health checks too late. A real fault persists.
        if (tries === upTriesMax) throw error;
      }
    }
  }

  /** Runs the operator's tool, and returns the JSON that it printed. */
  relata<Printed>(args: readonly string[], input?: string): Printed {
    const run = ['run', '--rm', '--no-TTY', '--env', `DATABASE_CONNECT_TIMEOUT_MS=${patienceMs}`, 'relata'];
    return JSON.parse(this.compose([...run, ...args, '--json'], input)) as Printed;
  }

  /** Runs JavaScript in a container of the image, in the network of the servers. */
  node(lines: string, input: string): string {
    const run = ['run', '--rm', '--no-TTY', '--entrypoint', 'node', 'relata', '--input-type=module', '--eval', lines];
    return this.compose(run, input);
  }

  #remove(): void {
    this.compose(['--profile', '*', 'down', '--volumes', '--timeout', '15']);
  }

  [Symbol.dispose](): void {
    this.#remove();
  }
}
