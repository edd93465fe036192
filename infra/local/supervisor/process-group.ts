import type { ServerProcess } from '@relata/embedded';
import { KeptProcess } from './kept-process.ts';

export interface ProcessGroupOptions {
  say: (line: string) => void;
  /** Called after each restart of a process. */
  onRestart: () => void;
}

/** Processes that are stopped together. */
export class ProcessGroup implements AsyncDisposable {
  readonly #options: ProcessGroupOptions;
  readonly #kept: KeptProcess<ServerProcess>[] = [];

  constructor(options: ProcessGroupOptions) {
    this.#options = options;
  }

  /** Starts a process and restarts it whenever it ends. Aborting `firstStart` gives up the first start. */
  async keep<Running extends ServerProcess>(
    name: string,
    start: (signal: AbortSignal) => Promise<Running>,
    firstStart: AbortSignal,
  ): Promise<KeptProcess<Running>> {
    const kept = await KeptProcess.start({ name, start, signal: firstStart, ...this.#options });
    this.#kept.push(kept);
    return kept;
  }

  /** Ends every process at once, with SIGKILL. */
  kill(): void {
    for (const kept of this.#kept) kept.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#kept.map((kept) => kept.stop()));
  }
}
