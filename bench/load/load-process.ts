import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadJob, LoadReply, LoadResult } from './load.ts';

/** A process that sends requests, so that the one that measures memory and moves data does not get in the way. */
export class LoadProcess implements AsyncDisposable {
  readonly #child: ChildProcess = fork(new URL('./load.worker.ts', import.meta.url), { execArgv: [] });
  readonly #ended = new AbortController();

  constructor() {
    this.#child.once('exit', () => this.#ended.abort(new Error('The load process ended.')));
  }

  async run(job: LoadJob): Promise<LoadResult> {
    this.#child.send(job);
    const [reply] = (await once(this.#child, 'message', { signal: this.#ended.signal })) as [LoadReply];
    if ('error' in reply) throw new Error(`${job.requests[0]?.method} ${job.url}: ${reply.error}`);
    return reply.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
