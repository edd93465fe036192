import type { Db } from '@relata/db';
import { type CountedSlice, countSlices, countsOf, type Slice } from '../slice-counts.sql.ts';

const ofOrganization = countsOf('webhook_deliveries.count_slices', 'webhook_deliveries', 'd.org_id = $3');

/** The trigger is looked up in the organization first, so that the index of deliveries by trigger has all that is asked of it. */
const ofTrigger = countsOf(
  'webhook_deliveries.count_slices_of_trigger',
  'webhook_deliveries',
  'd.trigger_id = (SELECT t.id FROM webhook_triggers t WHERE t.org_id = $3 AND t.id = $4)',
);

/** How much came in within each of these slices, to all triggers or to one. */
export function countDeliveries(
  db: Db,
  orgId: string,
  slices: readonly Slice[],
  triggerId?: string,
): Promise<CountedSlice[]> {
  return triggerId
    ? countSlices(db, ofTrigger, slices, [orgId, triggerId])
    : countSlices(db, ofOrganization, slices, [orgId]);
}
