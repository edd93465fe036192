/**
 * Default Node options of an app: a young generation that holds the allocations of a burst of requests, so that they
 * are not copied into the old one. Smaller heaps slow all reads by a fifth. Only one thread besides the app's own marks
 * live objects: several would use every core, including PostgreSQL's.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=16', '--concurrent-marking-max-worker-num=1'];

/**
 * Node options of an app whose heap may be large while another organization makes a small request. Its own thread
 * marks, in steps of a few milliseconds, and other threads only sweep. Under load such a process holds more garbage
 * (docs/benchmarks.md).
 */
export const oneCollectorNodeOptions: readonly string[] = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--single-threaded-gc',
  '--concurrent-sweeping',
  '--concurrent-array-buffer-sweeping',
];

/**
 * Returns the environment for these options: threads share one malloc heap, and compiled code is cached between starts.
 * The thread pool is larger than the default of four threads, since each name lookup holds one for as long as the name
 * servers do not respond.
 */
export function nodeEnvironment(compileCacheDir: string): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '12', NODE_COMPILE_CACHE: compileCacheDir };
}
