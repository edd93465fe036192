import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Slots } from '@relata/runtime';
import type { Outcome, ToolJob } from './resident-tool.worker.ts';

const program = new URL('./resident-tool.worker.ts', import.meta.url);

/** Enough for commands to meet each other; starting one takes half a second of a core. */
const processesMax = 4;

/** Processes that run the tool's commands, each one after another, in a folder without a stack. */
export class ResidentTools implements Disposable {
  readonly #slots = new Slots(processesMax);
  readonly #idle: ChildProcess[] = [];
  readonly #all: ChildProcess[] = [];

  async run(job: ToolJob): Promise<Outcome> {
    await this.#slots.acquire([]);
    const child = this.#idle.pop() ?? this.#start();
    child.send(job);
    const ended = new AbortController();
    const onExit = () => ended.abort(new Error(`The tool's process ended while it ran: ${job.args.join(' ')}`));
    child.once('exit', onExit);
    try {
      const [outcome] = (await once(child, 'message', { signal: ended.signal })) as [Outcome];
      this.#idle.push(child);
      return outcome;
    } finally {
      child.off('exit', onExit);
      this.#slots.release([]);
    }
  }

  [Symbol.dispose](): void {
    for (const child of this.#all) if (child.connected) child.disconnect();
  }

  #start(): ChildProcess {
    const child = fork(program, { cwd: tmpdir() });
    this.#all.push(child);
    return child;
  }
}
