/**
 * How Node runs an app. A small young generation keeps a process below 150 MB under full load; what a request leaves
 * behind is dead long before it fills.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=4'];

/** The environment that goes with it: threads share one heap of malloc, and compiled code is kept between starts. */
export function nodeEnvironment(compileCacheDir: string): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCacheDir };
}
