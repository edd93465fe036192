import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

/** Runs git in the repository and returns its output. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** Runs git, which may contact a server, for at most 30 seconds. Returns its exit code and output. */
export function gitStatus(...args: string[]): [status: number | null, output: string] {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stdout } = spawnSync('git', args, { cwd: root, env, encoding: 'utf8', timeout: 30_000 });
  return [status, stdout.trim()];
}

/** Returns the time of a commit in seconds. */
export function epochOf(commit: string): string {
  return git('log', '-1', '--format=%ct', commit);
}

/** Runs a program in the repository with its output shown. Throws if it fails. */
export function run(program: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} ended with ${status}.`);
}

/** Returns true if a Docker engine responds. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 20_000 }).status === 0;
}
