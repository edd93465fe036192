interface Attempted {
  /** Total time for which the run stayed failed before somebody retried it. */
  idle_ms: number;
  steps: readonly Step[];
}

interface Step {
  failures: readonly { started_at: string; finished_at: string }[];
  /** Start of the last attempt. */
  attempt_at: string | null;
  started_at: string | null;
}

/** A period in which a failed run waited until somebody retried it: `from` in ms since 1970, and its length `ms`. */
export interface IdlePeriod {
  from: number;
  ms: number;
}

/**
 * A gap may exceed the remaining total by this fraction plus 5 s. The two never match exactly: the run stores only the
 * total of its idle periods, and gaps are derived from the times of attempts.
 */
const tolerance = 0.1;

/**
 * Finds the periods in which a run stayed failed: the longest gaps between attempts at a step, up to the stored total.
 */
export function findIdlePeriods({ idle_ms: idleMs, steps }: Attempted): IdlePeriod[] {
  if (idleMs <= 0) return [];
  const gaps = steps.flatMap(gapsOf).toSorted((a, b) => b.ms - a.ms);
  let left = idleMs;
  return gaps.flatMap((gap) => {
    const ms = Math.min(gap.ms, left);
    if (ms <= 0 || gap.ms > left * (1 + tolerance) + 5_000) return [];
    left -= ms;
    return [{ from: gap.from, ms }];
  });
}

function gapsOf({ failures, attempt_at, started_at }: Step): IdlePeriod[] {
  const begun = [...failures.slice(1).map((one) => one.started_at), attempt_at ?? started_at];
  return failures.flatMap(({ finished_at }, at) => {
    const [from, next] = [Date.parse(finished_at), begun[at] ? Date.parse(begun[at]) : 0];
    return next > from ? [{ from, ms: next - from }] : [];
  });
}

/**
 * Subtracts from a time all idle periods before it. The difference of two results is then a duration without
 * idle periods.
 */
export function withoutIdlePeriods(idlePeriods: readonly IdlePeriod[], ms: number): number {
  return idlePeriods.reduce((at, rest) => at - Math.min(Math.max(0, ms - rest.from), rest.ms), ms);
}
