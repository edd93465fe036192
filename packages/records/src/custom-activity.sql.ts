import type { CustomActivity, CustomActivityCreate } from '@relata/schemas';
import { customActivities } from './custom-activity.table.ts';
import type { RecordInserts } from './record-inserts.ts';
import type { Row } from './record-table.ts';

/** Logs an interaction. */
export function createCustomActivity(
  inserts: RecordInserts,
  orgId: string,
  given: CustomActivityCreate,
): Promise<CustomActivity> {
  return inserts.create(orgId, customActivities, linkOnce(given));
}

/** An id that is given twice is linked once. */
export function linkOnce(given: Row): Row {
  const once = (ids: unknown) => [...new Set(ids as string[] | null | undefined)];
  return { ...given, contact_ids: once(given['contact_ids']), opportunity_ids: once(given['opportunity_ids']) };
}
