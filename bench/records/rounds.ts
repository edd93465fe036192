import type { LoadResult } from '../load/load.ts';
import { median } from '../quantile.ts';

export interface Measured extends LoadResult {
  /** Every round, in order; the figures beside it are their medians. */
  rounds: LoadResult[];
}

/** Measures each of several things once a round, so that what disturbs the machine disturbs all of them. */
export async function interleaved<Name extends string>(
  rounds: number,
  things: Record<Name, () => Promise<LoadResult>>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(things) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as LoadResult[]])) as Record<Name, LoadResult[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await things[name]());
  }
  return Object.fromEntries(names.map((name) => [name, medians(results[name])])) as Record<Name, Measured>;
}

function medians(rounds: LoadResult[]): Measured {
  const of = (field: keyof LoadResult) => median(rounds.map((round) => round[field]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuShare: of('cpuShare'),
    rounds,
  };
}
