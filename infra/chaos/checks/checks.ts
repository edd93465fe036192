import type { Check } from './check.ts';
import { deliveryChecks } from './delivery-checks.ts';
import { eventChecks } from './event-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { callChecks, effectChecks, fenceChecks } from './effect-checks.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { expectedOf } from './expectations.ts';
import { clusterChecks, outageChecks } from './outage-checks.ts';
import { runChecks, timerChecks } from './run-checks.ts';
import { signedChecks } from './signed-checks.ts';
import { trashChecks } from './trash-checks.ts';
import { writeChecks } from './write-checks.ts';

export function checkAll(evidence: Evidence): Check[] {
  const expected = expectedOf(evidence);
  return [
    ...deliveryChecks(evidence),
    ...signedChecks(evidence),
    ...runChecks(evidence, expected),
    ...timerChecks(evidence),
    ...effectChecks(evidence, expected),
    ...callChecks(evidence, expected),
    ...fenceChecks(evidence),
    ...outageChecks(evidence),
    ...clusterChecks(evidence),
    ...writeChecks(evidence),
    ...feedChecks(evidence),
    ...eventChecks(evidence),
    ...trashChecks(evidence),
  ];
}
