export { type CompiledStep, type CompiledWorkflow, compileWorkflow } from './definitions/compile-workflow.ts';
export { DefinitionError, type Fault } from './definitions/definition.error.ts';
export { definitionJsonSchema } from './definitions/definition.json-schema.ts';
export type { Definition, InputSpec } from './definitions/definition.ts';
export { definitionWarnings } from './definitions/definition.warnings.ts';
export { readDefinitionText } from './definitions/read-definition-text.ts';
export { readDefinition } from './definitions/read-definition.ts';
export { listSecretUses } from './definitions/secret-uses.ts';
export {
  applyWorkflow,
  applyWorkflowIn,
  findDefinition,
  findWorkflow,
  findWorkflowsNamed,
  listTriggerIdsOf,
  listVersions,
  listWorkflows,
  type Workflow,
} from './definitions/workflow.sql.ts';
export { isWithinLimits } from './deliveries/body-limits.ts';
export {
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOfKey,
  findDeliveryOrganization,
  listAllDeliveries,
  listDeliveries,
  loadDelivery,
  replayDelivery,
} from './deliveries/delivery.sql.ts';
export {
  type NewDelivery,
  type NewRun,
  type SkippedWorkflow,
  storeDeliveries,
} from './deliveries/delivery.store.sql.ts';
export { dropOld } from './retention.sql.ts';
export {
  type Claimant,
  type ClaimedRun,
  claimOverdueRuns,
  claimRuns,
  claimRunsOf,
  type Rooms,
} from './runs/claim.sql.ts';
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
export { cancelRun, retryRun } from './runs/run.control.sql.ts';
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
export { redactHeaders } from './runs/sensitive-headers.ts';
export {
  type Assignment,
  assignWorkflow,
  listAssignments,
  listAssignmentsOfWorkflow,
  type NewAssignment,
  unassignWorkflow,
} from './triggers/assignment.sql.ts';
export { type OpenAssignment, openAssignment, startRuns } from './triggers/assignment.ts';
export { checkAssignment, listUnmapped } from './triggers/check-assignment.ts';
export { flatten } from './triggers/flatten.ts';
export type { InputMapping } from './triggers/input-mapping.ts';
export { findOpenTriggers, listAssignedWorkflows, type OpenTriggerRow } from './triggers/open-trigger.sql.ts';
export {
  createTrigger,
  findTrigger,
  findTriggerOrganization,
  listTriggers,
  listTriggerSecrets,
  rotateTriggerSecret,
  selectTriggerKey,
  setTriggerActive,
  type Trigger,
} from './triggers/trigger.sql.ts';
