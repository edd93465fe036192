import { readRunAges } from '@relata/workflows/runs';
import { checkOn, fault, ok, warning } from '../check.ts';
import { formatCount, formatDuration } from '../format.ts';
import { countFailedRuns, failedMax } from './runs.sql.ts';

const warningSeconds = 60;
const faultSeconds = 600;

/** Checks that runs start, and continue, when they are due. */
export const waitingRuns = checkOn('database', 'runs', async ({ database }) => {
  const { queued, begun } = await readRunAges(database);
  const oldest = Math.max(queued, begun);
  if (oldest < warningSeconds) return ok('No run waits for a worker.');
  const what = queued >= begun ? 'to start' : 'to continue';
  const found = `The oldest run has waited ${formatDuration(oldest)} ${what}.`;
  if (oldest >= faultSeconds) return fault(found, 'Check that workers run, and read their log.');
  return warning(found, 'Check that a worker runs. If it does, start more, or increase WORKER_CONCURRENCY.');
});

/** Checks that no failed runs are left to be retried. Retention deletes them with their deliveries. */
export const failedRuns = checkOn('database', 'failed-runs', async ({ database }) => {
  const { failed, newest } = await countFailedRuns(database);
  if (failed === 0) return ok('No failed runs.');
  const count = failed === failedMax ? `${failed} runs or more` : formatCount(failed, 'run');
  return warning(
    `${count} failed${newest === null ? '' : `, the last one ${formatDuration(newest)} ago`}.`,
    'List the causes with relata problems list --org ORG. Then retry with relata runs retry --all-failed --org ORG, or ' +
      'replay with relata problems replay. Runs of resolved and ignored problems count until retention deletes them.',
  );
});
