import { findOverdueEvents } from '@relata/events';
import { findOverdueTrash } from '@relata/records';
import { readSettings, retentionSettings, trashSettings } from '@relata/runtime';
import { findOverdueRows } from '@relata/workflows/runs';
import { checkOn, ok, warning } from '../check.ts';
import { formatDuration } from '../format.ts';

const dayMs = 86_400_000;

/** Delay from which retention counts as late. Workers drop old rows once an hour, and may have many rows to drop. */
const secondsMax = 21_600;

/** Checks that expired rows have been dropped, so that the disk does not fill up. */
export const retention = checkOn('database', 'retention', async ({ database, environment }) => {
  const { RETENTION_DAYS, EVENT_DAYS, TRASH_DAYS } = readSettings(
    { ...retentionSettings, ...trashSettings },
    environment,
  );
  const { runs, deliveries } = await findOverdueRows(database, RETENTION_DAYS * dayMs);
  const events = await findOverdueEvents(database, EVENT_DAYS * dayMs);
  const trash = await findOverdueTrash(database, TRASH_DAYS * dayMs);
  const overdue = { event: events, run: runs, delivery: deliveries, 'entry of the trash': trash };
  const seconds = Math.max(...Object.values(overdue));
  if (seconds < secondsMax) return ok('Old rows were deleted in time.');
  const [what] = Object.entries(overdue).find(([, each]) => each === seconds)!;
  return warning(
    `The oldest ${what} should have been deleted ${formatDuration(seconds)} ago.`,
    'Check that a worker runs, and look for "retention failed" in its log. Run doctor with the ' +
      'RETENTION_DAYS, EVENT_DAYS and TRASH_DAYS of the worker.',
  );
});
