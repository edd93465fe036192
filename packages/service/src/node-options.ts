import type { Service } from './service.ts';

/**
 * How Node runs an app unless it has reasons of its own: a small young generation, and an old one that is collected when
 * it has grown by two fifths rather than when it has doubled and more. It keeps a process below 150 MB under full load,
 * and costs no speed that `bench` can show. Neither is a limit: a process that needs more takes more.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=40'];

/**
 * The same for an app whose heap may be large while another organization wants something small: one thread collects garbage,
 * and other threads only sweep. Marking by several takes every core for 50 ms at a time, and with them what PostgreSQL and
 * the other apps do for everybody. Under load such a process holds more garbage (docs/benchmarks.md).
 */
export const oneCollectorNodeOptions: readonly string[] = [
  ...nodeOptions,
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
