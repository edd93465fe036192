import { findOverdueEvents } from '@relata/events';
import { readSettings, retentionSettings } from '@relata/runtime';
import { findOverdueRows } from '@relata/workflows/runs';
import { checkOn, ok, warning } from '../check.ts';
import { duration } from '../words.ts';

const dayMs = 86_400_000;

/** Delay from which retention counts as late: workers drop old rows once an hour, and may have many to drop. */
const secondsMax = 21_600;

/** Checks that expired rows have been dropped, so that the disk does not fill up. */
export const retention = checkOn('database', 'retention', async ({ database, environment }) => {
  const { RETENTION_DAYS, EVENT_DAYS } = readSettings(retentionSettings, environment);
  const { runs, deliveries } = await findOverdueRows(database, RETENTION_DAYS * dayMs);
  const events = await findOverdueEvents(database, EVENT_DAYS * dayMs);
  const seconds = Math.max(runs, deliveries, events);
  if (seconds < secondsMax) return ok('Old rows were deleted in time.');
  const what = seconds === events ? 'event' : seconds === runs ? 'run' : 'delivery';
  return warning(
    `The oldest ${what} should have been deleted ${duration(seconds)} ago.`,
    'Check that a worker runs, and look for "retention failed" in its log. Run doctor with the ' +
      'RETENTION_DAYS and EVENT_DAYS of the worker.',
  );
});
