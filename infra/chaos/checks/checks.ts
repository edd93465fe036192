import type { Check } from './check.ts';
import { deliveryChecks } from './delivery-checks.ts';
import { eventChecks } from './event-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { callChecks, effectChecks, fenceChecks } from './effect-checks.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { type Expectations, expectedOf } from './expectations.ts';
import { clusterChecks, outageChecks } from './outage-checks.ts';
import { runChecks, timerChecks } from './run-checks.ts';
import { signedChecks } from './signed-checks.ts';
import { trashChecks } from './trash-checks.ts';
import { writeChecks } from './write-checks.ts';

type Group = (evidence: Evidence, expected: Expectations) => Check[];

const groups: readonly Group[] = [
  deliveryChecks,
  signedChecks,
  runChecks,
  timerChecks,
  effectChecks,
  callChecks,
  fenceChecks,
  outageChecks,
  clusterChecks,
  writeChecks,
  feedChecks,
  eventChecks,
  trashChecks,
];

export function checkAll(evidence: Evidence, among = groups): Check[] {
  const expected = expectedOf(evidence);
  return among.flatMap((group) => group(evidence, expected));
}

/** Returns the group that checks each claim, by claim. */
export function groupsOf(evidence: Evidence): Map<string, Group> {
  return new Map(groups.flatMap((group) => checkAll(evidence, [group]).map(({ claim }) => [claim, group] as const)));
}
