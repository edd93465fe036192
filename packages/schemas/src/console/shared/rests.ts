interface Attempted {
  /** How long the run lay failed, all together. */
  idle_ms: number;
  steps: readonly Step[];
}

interface Step {
  failures: readonly { started_at: string; finished_at: string }[];
  /** When the last attempt began. */
  attempt_at: string | null;
  started_at: string | null;
}

/** A time in which a failed run lay until somebody retried it, in ms since 1970. */
export interface Rest {
  from: number;
  ms: number;
}

/** As exactly as the times of attempts say: a run keeps only how long it lay in all. */
const tolerance = 0.1;

/** Finds when a run lay failed: the longest gaps between attempts at a step, as much as it lay in all. */
export function restsOf({ idle_ms: idleMs, steps }: Attempted): Rest[] {
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

function gapsOf({ failures, attempt_at, started_at }: Step): Rest[] {
  const begun = [...failures.slice(1).map((one) => one.started_at), attempt_at ?? started_at];
  return failures.flatMap(({ finished_at }, at) => {
    const [from, next] = [Date.parse(finished_at), begun[at] ? Date.parse(begun[at]) : 0];
    return next > from ? [{ from, ms: next - from }] : [];
  });
}

/** A time without the rests before it, so that differences of two are the run's own time. */
export function withoutRests(rests: readonly Rest[], ms: number): number {
  return rests.reduce((at, rest) => at - Math.min(Math.max(0, ms - rest.from), rest.ms), ms);
}
