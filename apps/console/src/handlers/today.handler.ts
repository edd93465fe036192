import { countOpenRuns } from '@relata/workflows/runs';
import { DeliveryStrips } from '../today/delivery-strip.ts';
import { findOpenWork } from '../today/open-work.sql.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

/** What came in, and what waits for somebody. Every count has a bound. */
export function todayHandlers({ database }: ConsoleContext): ConsoleHandlers<'getToday'> {
  const strips = new DeliveryStrips();
  return {
    getToday: async (_input, { caller: { orgId } }) => {
      const db = database.of(orgId);
      const [hours, { failed, causes, waiting }, open] = await Promise.all([
        strips.hoursOf(db, orgId),
        countOpenRuns(db, orgId),
        findOpenWork(db, orgId),
      ]);
      return { data: { hours, failed_runs: failed, problems: causes, waiting_runs: waiting, ...open } };
    },
  };
}
