import type { Run } from '../api/types.ts';

type Step = Run['steps'][number];

/** A part of a step's time, in ms since 1970. */
export interface Span {
  from: number;
  to: number;
  kind: 'work' | 'wait' | 'failed';
}

/**
 * Returns a span of kind `wait` for the whole step, then spans of its failed attempts and its last attempt. Returns
 * only the first for a delay or a skipped step, and none for a step that has not started.
 */
export function stepSpans(step: Step, nowMs: number): Span[] {
  const { use, status, failures, started_at, finished_at } = step;
  if (!started_at) return [];
  const [from, to] = [Date.parse(started_at), finished_at ? Date.parse(finished_at) : nowMs];
  const whole: Span = { from, to, kind: 'wait' };
  if (use === 'delay' || status === 'skipped') return [whole];
  const failed = failures.map((one): Span => spanOf(one.started_at, one.finished_at, 'failed'));
  return [whole, ...failed, ...lastOf(step, to)];
}

/** Returns the span of the last attempt; empty if `failures` contains it, or while the step waits. */
function lastOf({ status, failures, started_at, attempt_at }: Step, to: number): Span[] {
  if (status === 'waiting' || status === 'pending') return [];
  const from = Date.parse(attempt_at ?? started_at!);
  const hasFailed = failures.some(({ finished_at }) => Date.parse(finished_at) >= from);
  if (status === 'failed') return hasFailed ? [] : [{ from, to, kind: 'failed' }];
  return [{ from, to, kind: 'work' }];
}

function spanOf(from: string, to: string, kind: Span['kind']): Span {
  return { from: Date.parse(from), to: Date.parse(to), kind };
}
