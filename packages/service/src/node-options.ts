import type { Service } from './service.ts';

const smallHeap = ['--max-semi-space-size=4', '--heap-growing-percent=40'];

/**
 * How Node runs an app unless it has reasons of its own: a small young generation, and an old one that is collected when
 * it has grown by two fifths rather than when it has doubled and more. It keeps a process below 150 MB under full load,
 * and costs no speed that `bench` can show. Neither is a limit: a process that needs more takes more. One thread beside
 * the app's own marks what is alive: several would take every core, and with them what PostgreSQL does for everybody.
 */
export const nodeOptions: readonly string[] = [...smallHeap, '--concurrent-marking-max-worker-num=1'];

/**
 * The same for an app whose heap may be large while another organization wants something small: its own thread marks, in
 * steps of a few milliseconds at most, and other threads only sweep. Under load such a process holds more garbage
 * (docs/benchmarks.md).
 */
export const oneCollectorNodeOptions: readonly string[] = [
  ...smallHeap,
  '--single-threaded-gc',
  '--concurrent-sweeping',
  '--concurrent-array-buffer-sweeping',
];

/**
 * The environment that goes with it: threads share one heap of malloc, compiled code is kept between starts, and there
 * are more than four threads, since each look-up of a name holds one for as long as the name servers keep silent.
 */
export function nodeEnvironment(
  compileCacheDir: string,
  { environment }: Pick<Service, 'environment'> = {},
): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '12', NODE_COMPILE_CACHE: compileCacheDir, ...environment };
}
