/**
 * Takes empty variables out of the environment, so that they count as unset for libraries too: one that is asked for an
 * address finds an empty one wrong. Only what is loaded afterwards is sure to see it.
 */
export function unsetEmptyVariables(environment: NodeJS.ProcessEnv = process.env): void {
  const empty = Object.keys(environment).filter((name) => environment[name] === '');
  for (const name of empty) delete environment[name];
  unset.push(...empty);
}

const unset: string[] = [];

/** The variables that were empty: of no effect, which a diagnosis says. */
export function emptyVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return [...unset, ...Object.keys(environment).filter((name) => environment[name] === '')];
}

/** Threads that this process has for look-ups of names, zlib and crypto together. */
export const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
