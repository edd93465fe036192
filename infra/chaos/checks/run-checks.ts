import { parseDurationMs } from '@relata/runtime';
import { check, type Check, difference } from './check.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { type Expectations, nameOf } from './expectations.ts';

const endWithinMs = 60_000;

export function runChecks({ runs, endedAfterMs }: Evidence, expected: Expectations): Check[] {
  const ending = (status: string, code?: string) => (code ? `${status} of ${code}` : status);
  const wrong = expected.runs.filter(
    ({ run, workflow }) => ending(run.status, run.error?.code) !== ending(workflow.ending, workflow.error),
  );
  const late = endedAfterMs !== undefined && endedAfterMs <= endWithinMs ? [] : [`${endedAfterMs ?? 'never'} ms`];
  return [
    check('one run for each delivery and assignment', runs, difference(runs.map(nameOf), expected.names)),
    check(
      'every run ends as its workflow says',
      expected.runs,
      wrong.map(({ run, post }) => `${run.id} ${post.kind.name}: ${ending(run.status, run.error?.code)}`),
    ),
    check('all runs end within 60 s after the last fault', runs, late),
  ];
}

export function timerChecks({ steps }: Evidence): Check[] {
  const timers = steps.filter(({ use }) => use === 'delay');
  const early = timers.filter(({ started_at: started, wake_at: wake, woke_at: woke, wait }) => {
    if (wake === null || woke === null || wait === null) return true;
    return woke < wake || Date.parse(wake) < Date.parse(started) + (parseDurationMs(wait) ?? Infinity);
  });
  return [
    check(
      'timers fire once and not early',
      timers,
      early.map((step) => JSON.stringify(step)),
    ),
  ];
}
