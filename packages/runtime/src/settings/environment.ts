/**
 * Removes empty variables from the environment, so that they count as unset for libraries too: an empty address, for
 * example, would be an error. Modules loaded earlier may already have read the variables.
 */
export function unsetEmptyVariables(environment: NodeJS.ProcessEnv = process.env): void {
  const empty = Object.keys(environment).filter((name) => environment[name] === '');
  for (const name of empty) delete environment[name];
  unset.push(...empty);
}

const unset: string[] = [];

/** Returns the names of empty variables, which have no effect. A diagnosis reports them. */
export function emptyVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return [...unset, ...Object.keys(environment).filter((name) => environment[name] === '')];
}

/** Number of threads in libuv's pool, which name resolution, zlib and crypto share. */
export const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
