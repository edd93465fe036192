/**
 * Node options of the apps: a young generation that holds the allocations of a burst of requests, so that they are not
 * copied into the old one. A smaller young generation slows all reads by a fifth. The growth of the old
 * generation between major collections is set, because V8 derives it from the maximum heap size: 300 % on a large
 * machine, 30 % in a container of 512 MB. Live objects are marked by the app's thread and only one more: further
 * threads would take CPU time from PostgreSQL.
 */
export const nodeOptions: readonly string[] = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=20',
  '--concurrent-marking-max-worker-num=1',
];

/**
 * Returns environment variables for an app: threads share two malloc heaps, and compiled code is cached between starts.
 * The thread pool is larger than the default of four threads, since each name lookup holds one for as long as the name
 * servers do not respond.
 */
export function nodeEnvironment(compileCacheDir: string): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '12', NODE_COMPILE_CACHE: compileCacheDir };
}
