/** Exports for workers, which execute runs: claims, leases, the journal, and workflows ready to run. */
export {
  type CompiledStep,
  type CompiledStepOf,
  type CompiledWorkflow,
  compileWorkflow,
} from './definitions/compile-workflow.ts';
export type { StepDefinition } from './definitions/definition.ts';
export type { OwnExpressions } from './definitions/step-expressions.ts';
export { findDefinition } from './definitions/workflow.sql.ts';
export { foldCounts } from './counts/fold-counts.sql.ts';
export { loopInputs, tableInputs, timerInputs } from './definitions/step-inputs.ts';
export type { StepExecutor } from './definitions/steps/step-kind.ts';
export type { StepUseOf } from './definitions/steps/step-kinds.ts';
export { loadDelivery } from './deliveries/delivery.sql.ts';
export { dropOldRefusals } from './deliveries/refusal-retention.sql.ts';
export { dropOldSignedPosts } from './deliveries/signed-post-retention.sql.ts';
export { parseBodyInSlices, parseJsonInSlices } from './deliveries/parse-body.ts';
export {
  type Claimant,
  type ClaimedRun,
  type ClaimLimits,
  claimOverdueRuns,
  claimRuns,
  claimOrganizationRuns,
  isOpen,
  loadInputs,
} from './runs/claim.sql.ts';
export { listDueRuns } from './runs/due-runs.sql.ts';
export { journalCharactersMax, type JournalRow, loadJournal, loadJournalValues } from './runs/journal-load.sql.ts';
export {
  type JournalEntry,
  LeaseLostError,
  type RunOutcome,
  StaleJournalError,
  countJournalCharacters,
  writeJournal,
} from './runs/journal.sql.ts';
export { type HeldRun, releaseRuns, renewLeases } from './runs/lease.sql.ts';
export { claimLimitedRuns, type LimitedWorkflow, listLimitedWorkflows } from './runs/limited-claim.sql.ts';
export { findOverdueRows } from './runs/overdue.sql.ts';
export { dropOld } from './runs/retention.sql.ts';
export { readRunAges, type RunAges } from './runs/run-ages.sql.ts';
export { countOpenRuns, failuresMax, type StepError } from './runs/run.sql.ts';
export { redactHeaders } from './runs/sensitive-headers.ts';
