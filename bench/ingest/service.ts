import { LoadProcess } from '@relata/testbed/load-process';
import type { Program } from '@relata/testbed/program';
import type { PostsJob, PostsResult } from './posts.ts';
import type { IngestDatabase } from './ingest-database.ts';
import type { TestBed, StartOptions } from './test-bed.ts';

export type Posts = LoadProcess<PostsJob, PostsResult>;

export const openPosts = (): Posts => new LoadProcess(new URL('./posts.worker.ts', import.meta.url));

export interface ServiceContext {
  bed: TestBed;
  database: IngestDatabase;
  posts: Posts;
}

/** A receiver and a worker on one database, and the process that posts leads to the receiver. */
export interface Service extends ServiceContext, AsyncDisposable {
  receiver: Program;
  worker: Program;
  /** Number of leads that were posted so far; each is a different person. */
  posted: number;
}

/** Starts a receiver and a worker on the same database. `nodeOptions` applies only to the worker. */
export async function startService(context: ServiceContext, options: StartOptions): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const { bed, database } = context;
  const receiver = stack.use(await bed.startReceiver(database, { prefix: options.prefix }));
  const worker = stack.use(await bed.startWorker(database, options));
  const started = stack.move();
  return { ...context, receiver, worker, posted: 0, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
