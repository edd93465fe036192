import type { Today } from '@relata/schemas/console';
import { countDeliveries, type Span } from '@relata/workflows/deliveries';
import { countFailedRuns, countOpenRuns, countRuns } from '@relata/workflows/runs';
import { findOpenWork } from '../today/open-work.sql.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

const hourMs = 3_600_000;
const hoursShown = 24;

export function todayHandlers({ database }: ConsoleContext) {
  return {
    getToday: async (_input, { caller: { orgId } }) => {
      const [db, spans] = [database.of(orgId), hoursUntil(Date.now())];
      const [deliveries, started, failures, { failed, causes, waiting }, open] = await Promise.all([
        countDeliveries(db, orgId, spans),
        countRuns(db, orgId, spans),
        countFailedRuns(db, orgId, spans),
        countOpenRuns(db, orgId),
        findOpenWork(db, orgId),
      ]);
      const hours: Today['hours'] = spans.map(({ from }, at) => ({
        from: new Date(from).toISOString(),
        deliveries: deliveries[at]!.count,
        runs: { started: started[at]!.count, failed: failures[at]!.count },
      }));
      return { data: { hours, failed_runs: failed, problems: causes, waiting_runs: waiting, ...open } };
    },
  } satisfies Partial<ConsoleHandlers>;
}

/** Returns the current hour and the 23 hours before it, oldest first. */
function hoursUntil(now: number): Span[] {
  const last = Math.floor(now / hourMs) * hourMs;
  return Array.from({ length: hoursShown }, (_, at) => {
    const from = last - (hoursShown - 1 - at) * hourMs;
    return { from, to: from + hourMs };
  });
}
