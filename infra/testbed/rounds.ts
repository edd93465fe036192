import type { LoadResult } from './load.ts';
import { median } from './quantile.ts';

/** Results that have only numbers, so that each has a median. */
type Figures<Result> = Record<keyof Result, number>;

export type Measured<Result extends Figures<Result> = LoadResult> = Result & {
  /** Results of all rounds, in order. The other figures are their medians. */
  rounds: Result[];
};

/**
 * Measures several alternatives in turn, each once per round, so that a disturbance of the machine affects all of them.
 * Every second round is in reverse order, so that no alternative is always measured after the same one.
 */
export async function interleaved<Name extends string, Result extends Figures<Result>>(
  rounds: number,
  things: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Measured<Result>>> {
  const names = Object.keys(things) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await things[name]());
  }
  return Object.fromEntries(names.map((name) => [name, medians(results[name])])) as Record<Name, Measured<Result>>;
}

function medians<Result extends Figures<Result>>(rounds: Result[]): Measured<Result> {
  const fields = Object.keys(rounds[0]!) as (keyof Result)[];
  const of = (field: keyof Result) => median(rounds.map((round) => round[field]));
  return { ...(Object.fromEntries(fields.map((field) => [field, of(field)])) as Result), rounds };
}
