export { assignWorkflow, unassignWorkflow } from './triggers/assignment.operations.ts';
export {
  type Assignment,
  listAssignments,
  listAssignmentsOfWorkflow,
  upsertAssignment,
} from './triggers/assignment.sql.ts';
export {
  type Claimant,
  type ClaimedRun,
  claimOverdueRuns,
  claimRuns,
  claimRunsOf,
  type ClaimLimits,
} from './runs/claim.sql.ts';
export { payloadOf, type Replay, replayDelivery } from './deliveries/delivery.operations.ts';
export {
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOfKey,
  findDeliveryOrganization,
  insertReplay,
  listAllDeliveries,
  listDeliveries,
  loadDelivery,
} from './deliveries/delivery.sql.ts';
export {
  type NewDelivery,
  type NewRun,
  type SkippedWorkflow,
  storeDeliveries,
} from './deliveries/delivery.store.sql.ts';
export {
  type JournalEntry,
  type JournalRow,
  LeaseLostError,
  type LoadedValue,
  loadJournal,
  loadJournalValues,
  type RunOutcome,
  StaleJournalError,
  writeJournal,
} from './runs/journal.sql.ts';
export { type HeldRun, releaseRuns, renewLeases } from './runs/lease.sql.ts';
export { claimLimitedRuns, type LimitedWorkflow, listLimitedWorkflows } from './runs/limited-claim.sql.ts';
export { type CompiledAssignment, compileAssignment, startRuns } from './triggers/assignment.ts';
export { isWithinLimits } from './deliveries/body-limits.ts';
export { listUnmapped } from './triggers/check-assignment.ts';
export { flatten } from './triggers/flatten.ts';
export type { InputMapping } from './triggers/input-mapping.ts';
export {
  findTriggerSnapshots,
  listAssignedWorkflows,
  type TriggerSnapshotRow,
} from './triggers/trigger-snapshot.sql.ts';
export { dropOld } from './retention.sql.ts';
export { endRun, reopenRun } from './runs/run.control.sql.ts';
export { cancelRun, type ChangedRun, retryFailedRuns, retryRuns } from './runs/run.operations.ts';
export {
  countOpenRuns,
  findRun,
  findRunOrganization,
  listAllRuns,
  listRuns,
  type Run,
  type RunDetail,
  runStatuses,
  type RunStatus,
  type RunStep,
  type StepError,
} from './runs/run.sql.ts';
export {
  createTrigger,
  rotateTriggerSecret,
  selectTriggerKey,
  setTriggerActive,
} from './triggers/trigger.operations.ts';
export {
  findTrigger,
  findTriggerOrganization,
  insertTrigger,
  listTriggers,
  listTriggerSecrets,
  replaceTriggerSecret,
  type Trigger,
  updateTriggerActive,
  updateTriggerKey,
} from './triggers/trigger.sql.ts';
export { applyWorkflow, type MisfitAssignment } from './definitions/workflow.operations.ts';
export {
  findDefinition,
  findWorkflow,
  findWorkflowsNamed,
  listVersions,
  listWorkflows,
  storeDefinition,
  type Workflow,
} from './definitions/workflow.sql.ts';
export { type StepExecutor } from './definitions/steps/step-kind.ts';
export { type StepUseOf } from './definitions/steps/step-kinds.ts';
export { delayMaxMs } from './definitions/steps/delay.step.ts';
export { loopItemsMax } from './definitions/steps/for-each.step.ts';
export {
  type CompiledStep,
  type CompiledStepOf,
  type CompiledWorkflow,
  compileWorkflow,
} from './definitions/compile-workflow.ts';
export type { Definition, InputSpec } from './definitions/definition.ts';
export { DefinitionError, type Fault } from './definitions/definition.error.ts';
export { definitionWarnings } from './definitions/definition.warnings.ts';
export { listSecretUses } from './definitions/secret-uses.ts';
export { readDefinition } from './definitions/read-definition.ts';
export { readStoredDefinition } from './definitions/read-stored-definition.ts';
export { readDefinitionText } from './definitions/read-definition-text.ts';
export { redactHeaders } from './runs/sensitive-headers.ts';
export { definitionJsonSchema } from './definitions/definition.json-schema.ts';
