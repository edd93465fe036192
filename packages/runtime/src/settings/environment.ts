/**
 * Removes empty variables from the environment, so that they count as unset for libraries too: an empty address, for
 * example, would be an error. Only code loaded afterwards is sure to see the change.
 */
export function unsetEmptyVariables(environment: NodeJS.ProcessEnv = process.env): void {
  const empty = Object.keys(environment).filter((name) => environment[name] === '');
  for (const name of empty) delete environment[name];
  unset.push(...empty);
}

const unset: string[] = [];

/** Returns the variables that were empty and so have no effect, which a diagnosis reports. */
export function emptyVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return [...unset, ...Object.keys(environment).filter((name) => environment[name] === '')];
}

/** Threads of this process for name resolution, zlib and crypto together. */
export const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
