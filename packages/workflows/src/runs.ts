export type { ListPage } from './list-window.ts';
export {
  type Cause,
  findProblem,
  listProblems,
  type Problem,
  type Problems,
  type ProblemState,
  problemStateNames,
} from './runs/problem.sql.ts';
export { setProblemState } from './runs/problem.operations.ts';
export { findRunOutline, findRunStep, type RunOutline } from './runs/run-outline.sql.ts';
export { type Retry, withRetries } from './runs/retry.sql.ts';
export {
  failedCode,
  failedStep,
  listAllRuns,
  listRuns,
  listRunStates,
  runFilterStatuses,
  searchRuns,
} from './runs/run-list.sql.ts';
export {
  cancelRun,
  type ChangedRun,
  type RefusedRun,
  retryFailedPage,
  retryFailedRuns,
  type RetryOptions,
  retryRuns,
} from './runs/run.operations.ts';
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
  runStatuses,
  type RunStatus,
  type RunStep,
  type StepError,
} from './runs/run.sql.ts';
export { explained } from './verdicts/step-fault.ts';
export { judgeRetry, type RetryVerdict } from './verdicts/retry-verdict.operations.ts';
export type { FailingStep, RetryOption } from './verdicts/judge-steps.ts';
