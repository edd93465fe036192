export type { ListPage } from './list-window.ts';
export { listProblems, problemStateNames } from './runs/problem.sql.ts';
export { setProblemState } from './runs/problem.operations.ts';
export { findRunOutline, findRunStep, type RunOutline } from './runs/run-outline.sql.ts';
export { withRetries } from './runs/retry.sql.ts';
export {
  failedCode,
  failedStep,
  listAllRuns,
  listRuns,
  listRunStates,
  runFilterStatuses,
  searchRuns,
} from './runs/run-list.sql.ts';
export { cancelRun, type ChangedRun, retryFailedPage, retryFailedRuns, retryRuns } from './runs/run.operations.ts';
export { countFailedRuns, countRuns } from './counts/trigger-counts.sql.ts';
export { countOpenRuns } from './runs/run-counts.sql.ts';
export { findOverdueRows } from './runs/overdue.sql.ts';
export { readRunAges } from './runs/run-ages.sql.ts';
export {
  findRun,
  findRunHead,
  findRunOrganization,
  type Run,
  type RunDetail,
  type RunStatus,
  type RunStep,
  type StepError,
} from './runs/run.sql.ts';
export { explained } from './verdicts/step-fault.ts';
export { predictRetry } from './verdicts/retry-verdict.operations.ts';
export type { RetryOption } from './verdicts/simulate-steps.ts';
