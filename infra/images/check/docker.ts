import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { bundleIn } from '../../services.ts';

export const root = resolve(import.meta.dirname, '..', '..', '..');
const composeFolder = join(root, 'infra', 'compose');

/** The build installs and compiles; everything else is over in seconds. */
const timeoutMs = 20 * 60_000;

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

/** Runs docker and returns its output; throws with all of it if it fails. */
export function docker(args: readonly string[], options?: RunOptions): string {
  const { status, stdout, text } = tryDocker(args, options);
  if (status !== 0)
    throw new Error(`docker ${args.slice(0, 4).join(' ')} ended with ${status}:\n${text.slice(-4_000)}`);
  return stdout;
}

export function hasEngine(): boolean {
  return tryDocker(['version', '--format', '{{.Server.Version}}']).status === 0;
}

/** The stack of `infra/compose` under a name of its own, with these settings. */
export class Stack implements Disposable {
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  compose(args: readonly string[], input?: string): string {
    const all = ['compose', '--project-name', 'relata-check', ...args];
    return docker(all, { cwd: composeFolder, env: this.#env, input });
  }

  /** Runs the operator's tool, and returns the document that it printed. */
  relata<Printed>(args: readonly string[], input?: string): Printed {
    const run = ['run', '--rm', '--no-TTY', 'migrate', bundleIn('cli')];
    return JSON.parse(this.compose([...run, ...args, '--json'], input)) as Printed;
  }

  [Symbol.dispose](): void {
    this.compose(['down', '--volumes', '--timeout', '15']);
  }
}
