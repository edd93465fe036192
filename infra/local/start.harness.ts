import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findNatsServer, freePort } from '@relata/embedded';
import { vi } from 'vitest';
import { paths, root } from './paths.ts';
import { readStackFile, type StackFile } from './stack/stack-file.ts';

const readyTimeoutMs = 240_000;
const commandTimeoutMs = 180_000;
const pollMs = 25;

/** Upper limits, not expected times. */
export const promised = { timeout: 60_000, interval: pollMs };

export interface Run {
  child: ChildProcess;
  /** Its whole output so far. */
  stdout: () => string;
  stderr: () => string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** A running stack, and the checkout from which it was started. */
export interface Started {
  checkout: Checkout;
  run: Run;
  stack: StackFile;
}

/** A copy of the checkout, so that a stack running in the developer's own checkout is not disturbed. */
export class Checkout implements AsyncDisposable {
  readonly folder: string;
  readonly #home: string;
  readonly #runs: Run[] = [];

  private constructor(home: string) {
    this.#home = home;
    this.folder = join(home, 'relata');
  }

  /** Creates a copy, without bundles, as after a clone. */
  static async create(): Promise<Checkout> {
    // The folder has mode 700: if the tests run as root, the user of the servers cannot enter it.
    const checkout = new Checkout(await realpath(await mkdtemp(join(tmpdir(), 'relata-start-'))));
    try {
      await checkout.#copySources();
      await checkout.#linkDependencies();
      await checkout.#linkNats();
      return checkout;
    } catch (error) {
      await checkout[Symbol.asyncDispose]();
      throw error;
    }
  }

  get stackPath(): string {
    return join(this.folder, '.local', 'stack.json');
  }

  stack(): Promise<StackFile | undefined> {
    return readStackFile(this.stackPath);
  }

  /** Runs the command of `npm start`, with an otherwise empty environment. */
  async npmStart(env: NodeJS.ProcessEnv): Promise<Run> {
    const { scripts } = JSON.parse(await readFile(join(this.folder, 'package.json'), 'utf8'));
    // npm sets this variable for its scripts. It makes bootstrap.mjs end with its parent, which is this process.
    return this.run('sh', ['-c', scripts.start], { npm_lifecycle_event: 'start', ...env });
  }

  /** Runs the tool as `npm run --silent relata -- ...` does. */
  npmRelata(...args: string[]): Promise<Run> {
    return this.finished(this.run('node', ['infra/bootstrap.mjs', 'apps/cli/src/main.ts', ...args]));
  }

  /** Runs the tool from the bundle that a start has built, with a third of the processor time of `npmRelata`. */
  relata(...args: string[]): Promise<Run> {
    return this.finished(this.run('node', ['dist/cli.mjs', ...args]));
  }

  run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
    const child = spawn(command, args, { cwd: this.folder, env: { ...this.#environment(), ...env } });
    const run = { child, stdout: textOf(child.stdout), stderr: textOf(child.stderr), exited: exitOf(child) };
    this.#runs.push(run);
    return run;
  }

  async finished(run: Run, timeoutMs = commandTimeoutMs): Promise<Run> {
    const timer = setTimeout(() => run.child.kill('SIGKILL'), timeoutMs);
    await run.exited;
    clearTimeout(timer);
    return run;
  }

  /** Returns once the stack has printed its banner. If the stack ends before, throws an error with its output. */
  async ready(run: Run): Promise<StackFile> {
    const { timeout, interval } = { timeout: readyTimeoutMs, interval: pollMs };
    const isOver = () => run.child.exitCode !== null || run.child.signalCode !== null;
    const hasSaidAll = () => /Relata runs at[^]*\n\n$/.test(run.stdout());
    await vi.waitUntil(() => isOver() || hasSaidAll(), { timeout, interval });
    const stack = await this.stack();
    if (isOver() || !stack) throw new Error(`The stack did not come up.\n${run.stdout()}${run.stderr()}`);
    return stack;
  }

  /** Starts the stack on a free port. Tries another port if another process has taken it meanwhile. */
  async startReady(env: NodeJS.ProcessEnv = {}): Promise<{ run: Run; stack: StackFile }> {
    for (let tries = 1; ; tries++) {
      const run = await this.npmStart({ PORT: String(await freePort()), ...env });
      try {
        return { run, stack: await this.ready(run) };
      } catch (error) {
        if (tries === 3 || !String(error).includes('EADDRINUSE')) throw error;
      }
    }
  }

  /** Returns the number of installations that bootstrap.mjs has run. */
  async installations(): Promise<number> {
    const log = await readFile(join(this.#home, 'installed'), 'utf8').catch(() => '');
    return log.split('\n').length - 1;
  }

  /**
   * Returns the processes that were started from this checkout or work in it. Returns an empty list on systems other
   * than Linux.
   */
  async processes(): Promise<number[]> {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
    const own = await Promise.all(pids.map(async (pid) => ((await this.#isOurs(pid)) ? [Number(pid)] : [])));
    return own.flat();
  }

  async #isOurs(pid: string): Promise<boolean> {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const workDir = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return command.includes(this.folder) || workDir.startsWith(this.folder);
  }

  // Copies all files, committed or not. Does not use git, because a tarball has no repository.
  async #copySources(): Promise<void> {
    const leftOut = /^(node_modules|\.git|\.local|\.turbo|coverage|dist(\..+)?)$/;
    await mkdir(this.folder);
    // Links are copied unchanged: those of pnpm are relative, and lead from a copied package to the copies of the
    // others. Copying in one call takes a fifth of the CPU time of a copy that checks each file.
    for (const name of await readdir(root))
      if (!leftOut.test(name))
        cpSync(join(root, name), join(this.folder, name), { recursive: true, verbatimSymlinks: true });
    await this.#removeHash();
  }

  // Removes the hash of pnpm from package.json. Checking it would need a download, and the npx of this harness
  // downloads nothing.
  async #removeHash(): Promise<void> {
    const file = join(this.folder, 'package.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/("packageManager": "[^"+]+)\+[^"]+/, '$1'));
  }

  // Links the developer's own .pnpm folder, because packages below it never refer to the workspace. An installation
  // would write there, so the npx that bootstrap.mjs finds only records that it was called.
  async #linkDependencies(): Promise<void> {
    const modules = join(this.folder, 'node_modules');
    await mkdir(join(modules, '.bin'), { recursive: true });
    await symlink(join(root, 'node_modules', '.pnpm'), join(modules, '.pnpm'));
    await symlink(process.execPath, join(modules, '.bin', 'node'));
    const programs = join(this.#home, 'bin');
    await mkdir(programs);
    await symlink(process.execPath, join(programs, 'node'));
    const npx = `#!/bin/sh\ncase "$*" in *install*) echo "$*" >>'${this.#home}/installed' ;; *) echo "$0" ;; esac\n`;
    await writeFile(join(programs, 'npx'), npx, { mode: 0o755 });
  }

  // Links the NATS server of the developer's own folder. If it is missing, it is first downloaded to that folder, so
  // that it is downloaded only once.
  async #linkNats(): Promise<void> {
    const bin = join(this.folder, '.local', 'bin');
    await mkdir(bin, { recursive: true });
    await symlink(await findNatsServer({ binDir: paths.bin }), join(bin, 'nats-server'));
  }

  #environment(): NodeJS.ProcessEnv {
    const { HOME, TMPDIR, PATH = '' } = process.env;
    const system = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const given = { ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }) };
    return { ...given, PATH: [join(this.#home, 'bin'), ...system].join(delimiter) };
  }

  /** Ends remaining processes, first by SIGTERM and then by SIGKILL, and deletes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#runs.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    for (const { child } of running) child.kill('SIGTERM');
    await Promise.all(running.map((run) => this.finished(run, 12_000)));
    for (const pid of await this.processes()) killIfThere(pid);
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function textOf(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}

// Resolves only after its output has been read to the end.
async function exitOf(child: ChildProcess): Run['exited'] {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
  }
}
