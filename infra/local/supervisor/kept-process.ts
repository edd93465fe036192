import { setTimeout as pause } from 'node:timers/promises';
import type { Exit, ServerProcess } from '@relata/embedded';

export interface KeepOptions<Running extends ServerProcess> {
  name: string;
  /** Starts the process once, and waits until it is ready. Gives up when the signal aborts. */
  start: (signal: AbortSignal) => Promise<Running>;
  /** Aborts the first start. */
  signal: AbortSignal;
  say: (line: string) => void;
  /** Called after each start except the first. */
  onRestart: () => void;
  pauses?: RestartPauses;
}

export interface RestartPauses {
  firstMs: number;
  mostMs: number;
  /** Time after which a running process counts as stable. Its next restart uses the first pause again. */
  calmMs: number;
}

const usualPauses: RestartPauses = { firstMs: 100, mostMs: 10_000, calmMs: 30_000 };

/** A process that is restarted whenever it ends, until it is stopped. */
export class KeptProcess<Running extends ServerProcess> {
  running: Running;
  readonly #options: KeepOptions<Running>;
  readonly #pauses: RestartPauses;
  readonly #stopping = new AbortController();
  readonly #keeping: Promise<void>;

  private constructor(options: KeepOptions<Running>, running: Running) {
    this.#options = options;
    this.#pauses = options.pauses ?? usualPauses;
    this.running = running;
    this.#keeping = this.#keep();
  }

  /**
   * Starts the process. Rejects if the first start fails, because a process that never ran needs a fix, not a restart.
   */
  static async start<Running extends ServerProcess>(options: KeepOptions<Running>): Promise<KeptProcess<Running>> {
    return new KeptProcess(options, await options.start(options.signal));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.running.stop();
    await this.#keeping;
  }

  /** Ends the process at once with SIGKILL, and does not restart it. */
  kill(): void {
    this.#stopping.abort();
    try {
      process.kill(this.running.pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }

  async #keep(): Promise<void> {
    let pauseMs = this.#pauses.firstMs;
    while (!this.#stopping.signal.aborted) {
      const since = Date.now();
      const exit = await this.running.exited;
      if (Date.now() - since >= this.#pauses.calmMs) pauseMs = this.#pauses.firstMs;
      pauseMs = await this.#startAgain(pauseMs, `ended (${describe(exit)})`);
    }
  }

  /** Tries until the process runs again, and returns the pause before the next start. */
  async #startAgain(firstPauseMs: number, reason: string): Promise<number> {
    const { name, start, say, onRestart } = this.#options;
    const { signal } = this.#stopping;
    for (let pauseMs = firstPauseMs, why = reason; ; why = 'could not be started') {
      if (signal.aborted) return pauseMs;
      say(`${name} ${why}; starting it again in ${pauseMs / 1_000} s`);
      await pause(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, this.#pauses.mostMs);
      try {
        signal.throwIfAborted();
        this.running = await start(signal);
        say(`${name} runs again (process ${this.running.pid})`);
        onRestart();
        return pauseMs;
      } catch (error) {
        if (!signal.aborted) say(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

function describe({ code, signal }: Exit): string {
  return signal ?? `exit code ${code}`;
}
