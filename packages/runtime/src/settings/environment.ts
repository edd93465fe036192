/**
 * Takes empty variables out of the environment, so that they count as unset for libraries too: one that is asked for an
 * address finds an empty one wrong. Only what is loaded afterwards is sure to see it.
 */
export function unsetEmptyVariables(environment: NodeJS.ProcessEnv = process.env): void {
  for (const [name, value] of Object.entries(environment)) if (value === '') delete environment[name];
}

/** Threads that this process has for look-ups of names, zlib and crypto together. */
export const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
