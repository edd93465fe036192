import type { CustomActivity, CustomActivityCreate } from '@relata/schemas';
import { customActivities } from './custom-activity.table.ts';
import type { RecordInserts } from './record-inserts.ts';

/** Logs an interaction. An id that is given twice is linked once. */
export function createCustomActivity(
  inserts: RecordInserts,
  orgId: string,
  given: CustomActivityCreate,
): Promise<CustomActivity> {
  const { contact_ids, opportunity_ids, ...rest } = given;
  return inserts.create(orgId, customActivities, {
    ...rest,
    contact_ids: [...new Set(contact_ids)],
    opportunity_ids: [...new Set(opportunity_ids)],
  });
}
