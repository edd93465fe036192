import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Slots } from '@relata/runtime';
import type { Outcome, ToolJob } from './resident-process.harness.ts';

/** Folder for compiled code. Without it, half of the time of a command would be compilation. */
export const compiledFolder = join(import.meta.dirname, '../../../.local/compiled');
const program = new URL('./resident-process.harness.ts', import.meta.url);

/** Maximum number of processes. Starting a process takes half a second of CPU time. */
const processesMax = 4;

/**
 * Processes that run CLI commands one after another, in a folder without a local stack. They end with the process that
 * started them, and do not keep it alive.
 */
export class ResidentTools {
  readonly #slots = new Slots(processesMax);
  readonly #idle: ChildProcess[] = [];

  async run(job: ToolJob): Promise<Outcome> {
    using _slot = await this.#slots.hold([]);
    const child = this.#idleOne() ?? this.#start();
    child.send(job);
    const ended = new AbortController();
    let said = '';
    const onText = (text: Buffer) => (said += String(text));
    const onExit = () =>
      ended.abort(new Error(`The tool's process ended while it ran: ${job.args.join(' ')}\n${said}`));
    child.stderr!.on('data', onText);
    child.once('close', onExit);
    try {
      const [outcome] = (await once(child, 'message', { signal: ended.signal })) as [Outcome];
      this.#idle.push(child);
      return outcome;
    } finally {
      child.off('close', onExit);
      child.stderr!.off('data', onText);
    }
  }

  #idleOne(): ChildProcess | undefined {
    const child = this.#idle.pop();
    return child && !child.connected ? this.#idleOne() : child;
  }

  #start(): ChildProcess {
    const child = fork(program, {
      cwd: tmpdir(),
      env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder },
      // A child that inherits streams would keep them open after the test process has ended, and their readers would
      // wait.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [child.stdout!, child.stderr!] as Socket[]) stream.resume().unref();
    child.unref();
    child.channel!.unref();
    return child;
  }
}
