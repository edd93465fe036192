import type { Today } from '@relata/schemas/console';
import { type CountedSlice, countDeliveries } from '@relata/workflows/deliveries';
import { countFailedRuns, countOpenRuns, countRuns } from '@relata/workflows/runs';
import { HourStrips, hoursUntil } from '../today/hour-strip.ts';
import { findOpenWork } from '../today/open-work.sql.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

/** What came in, and what waits for somebody. Every count has a bound. */
export function todayHandlers({ database }: ConsoleContext): ConsoleHandlers<'getToday'> {
  const [deliveries, runs] = [new HourStrips(countDeliveries), new HourStrips(countRuns)];
  return {
    getToday: async (_input, { caller: { orgId } }) => {
      const [db, now] = [database.of(orgId), Date.now()];
      const [cameIn, made, failures, { failed, causes, waiting }, open] = await Promise.all([
        deliveries.hoursOf(db, orgId, now),
        runs.hoursOf(db, orgId, now),
        countFailedRuns(db, orgId, hoursUntil(now)),
        countOpenRuns(db, orgId),
        findOpenWork(db, orgId),
      ]);
      const hours = cameIn.map((hour, at) => ({
        from: new Date(hour.from).toISOString(),
        deliveries: hour.count,
        is_estimate: hour.isEstimate,
        runs: runsOf(made[at]!, failures[at]!),
      }));
      return { data: { hours, failed_runs: failed, problems: causes, waiting_runs: waiting, ...open } };
    },
  };
}

/** No more of them failed than there were: each number may be an estimate of its own. */
const runsOf = (made: CountedSlice, failed: CountedSlice): Today['hours'][number]['runs'] => ({
  started: made.count,
  failed: Math.min(made.count, failed.count),
  is_estimate: made.isEstimate || failed.isEstimate,
});
