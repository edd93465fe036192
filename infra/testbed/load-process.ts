import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadJob, LoadReply, LoadResult } from './load.ts';

const loadWorker = new URL('./load.worker.ts', import.meta.url);

/** A separate process that sends requests, so that other work of the measuring process does not delay them. */
export class LoadProcess<Job extends { url: string } = LoadJob, Result = LoadResult> implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended = new AbortController();

  constructor(worker = loadWorker, nodeOptions: readonly string[] = [], env: Record<string, string> = {}) {
    this.#child = fork(worker, { execArgv: [...nodeOptions], env: { ...process.env, ...env } });
    this.#child.once('exit', () => this.#ended.abort(new Error('The load process ended.')));
  }

  async run(job: Job): Promise<Result> {
    this.#child.send(job);
    const [reply] = (await once(this.#child, 'message', { signal: this.#ended.signal })) as [LoadReply<Result>];
    if ('error' in reply) throw new Error(`Load on ${job.url}: ${reply.error}`);
    return reply.result;
  }

  notify(message: string): void {
    if (this.#child.connected) this.#child.send(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
