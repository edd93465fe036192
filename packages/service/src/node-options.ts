/**
 * Node options of an app unless it needs others: a young generation that holds what a burst of requests allocates, so that
 * it is not copied into the old one. Smaller heaps cost a fifth of all reads. Only one thread beside the app's own marks live objects:
 * several would take every core, and with them the time of PostgreSQL.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=16', '--concurrent-marking-max-worker-num=1'];

/**
 * Node options of an app whose heap may be large while another organization wants something small: its own thread marks, in
 * steps of a few milliseconds, and other threads only sweep. Under load such a process holds more garbage
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
 * The environment that goes with it: threads share one heap of malloc, compiled code is kept between starts, and there
 * are more than four threads, since each look-up of a name holds one for as long as the name servers keep silent.
 */
export function nodeEnvironment(compileCacheDir: string): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '12', NODE_COMPILE_CACHE: compileCacheDir };
}
