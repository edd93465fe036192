import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledDir } from '@relata/testbed/places';
import type { FloodJob, FloodMessage } from './flood.ts';
import type { Figures } from '../neighbour.ts';

/** The time after which a flood that does not end is killed. */
const endWithinMs = 5_000;

/** A flood in a process of its own, so that it does not delay the measurement. */
export class FloodProcess implements AsyncDisposable {
  figures: Figures = {};
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #error: string | undefined;

  constructor(job: FloodJob) {
    // Compiled once for all rows; otherwise compiling would use the CPU during measurements.
    const env = { ...process.env, NODE_COMPILE_CACHE: compiledDir };
    this.#child = fork(new URL('./flood.worker.ts', import.meta.url), { execArgv: [], env });
    // The last message of the flood has arrived once the channel is closed.
    this.#exited = Promise.all([once(this.#child, 'exit'), once(this.#child, 'disconnect')]);
    this.#child.on('message', (message: FloodMessage) => {
      if ('error' in message) this.#error = message.error;
      else this.figures = message.figures;
    });
    this.#child.send(job);
  }

  /** Throws the error of a flood that failed, because its row then proves nothing. */
  check(): void {
    if (this.#error !== undefined) throw new Error(`The flood failed: ${this.#error}`);
  }

  /** Returns once its connections are closed. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), endWithinMs);
      await this.#exited;
      clearTimeout(timer);
    }
    this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
