/** Exports for the receiver of deliveries: current triggers and the store of deliveries. */
export type { Definition } from './definitions/definition.ts';
export { readDefinition } from './definitions/read-definition.ts';
export { findDefinition } from './definitions/workflow.sql.ts';
export { isWithinLimits, LimitsCheck, openedLimits, signedLimits } from './deliveries/body-limits.ts';
export { keptHeaders } from './deliveries/delivery-headers.ts';
export {
  areKeysKnown,
  type GivenKey,
  type InputProblem,
  type NewDelivery,
  storeDeliveries,
} from './deliveries/delivery-store.sql.ts';
export { type NewRefusal, type NewRefusalCount, refusalsKeptMax, storeRefusals } from './deliveries/refusal.sql.ts';
export { compileAssignment, type CompiledAssignment, prepareRuns } from './triggers/assignment.ts';
export { recordSecretUsage, type SecretUsage } from './triggers/secret-usage.sql.ts';
export { signingSealContext } from './triggers/signatures/signing-secret.sql.ts';
export { compileRepeatKey, type FindRepeat } from './triggers/repeat-key.ts';
export {
  type AssignedVersion,
  findTriggerSnapshots,
  type TriggerSnapshotRow,
} from './triggers/trigger-snapshot.sql.ts';
