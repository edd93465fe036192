export {
  type Assignment,
  assignWorkflow,
  listAssignments,
  listAssignmentsOfWorkflow,
  type NewAssignment,
  unassignWorkflow,
} from './assignment.sql.ts';
export { type Claimant, type ClaimedRun, claimOverdueRuns, claimRuns, claimRunsOf, type Rooms } from './claim.sql.ts';
export {
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOfKey,
  findDeliveryOrganization,
  listAllDeliveries,
  listDeliveries,
  replayDelivery,
} from './delivery.sql.ts';
export { type NewDelivery, type NewRun, type SkippedWorkflow, storeDeliveries } from './delivery.store.sql.ts';
export {
  type JournalEntry,
  type JournalRow,
  LeaseLostError,
  loadDelivery,
  type LoadedValue,
  loadJournal,
  loadJournalValues,
  type RunOutcome,
  StaleJournalError,
  writeJournal,
} from './journal.sql.ts';
export { type HeldRun, releaseRuns, renewLeases } from './lease.sql.ts';
export { claimLimitedRuns, type LimitedWorkflow, listLimitedWorkflows } from './limited-claim.sql.ts';
export { type OpenAssignment, openAssignment, startRuns } from './mapping/assignment.ts';
export { isWithinLimits } from './mapping/body-limits.ts';
export { checkAssignment, listUnmapped } from './mapping/check-assignment.ts';
export { flatten } from './mapping/flatten.ts';
export type { InputMapping } from './mapping/input-mapping.ts';
export { findOpenTriggers, listAssignedWorkflows, type OpenTriggerRow } from './open-trigger.sql.ts';
export { dropOld } from './retention.sql.ts';
export { cancelRun, retryRun } from './run.control.sql.ts';
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
} from './run.sql.ts';
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
} from './trigger.sql.ts';
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
} from './workflow.sql.ts';
export { type CompiledStep, type CompiledWorkflow, compileWorkflow } from './definition/compile-workflow.ts';
export type { Definition, InputSpec } from './definition/definition.ts';
export { DefinitionError, type Fault } from './definition/definition.error.ts';
export { definitionWarnings } from './definition/definition.warnings.ts';
export { listSecretUses } from './definition/secret-uses.ts';
export { readDefinition } from './definition/read-definition.ts';
export { readDefinitionText } from './definition/read-definition-text.ts';
export { redactHeaders } from './sensitive-headers.ts';
export { definitionJsonSchema } from './definition/definition.json-schema.ts';
