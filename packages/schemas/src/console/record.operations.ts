import { z } from 'zod';
import { text } from '../fields/text.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, id } from './shared/page.schema.ts';

const FoundRecord = z.object({
  record_type: z.enum(['account', 'contact', 'opportunity']),
  id,
  name: z.string(),
  /** All fields, as in the API. */
  record: z.record(z.string(), z.unknown()),
});

export type FoundRecord = z.output<typeof FoundRecord>;

/**
 * Finds accounts by id, domain, name or `crm_id`; contacts by id, email address or `crm_id`; opportunities by id or
 * `crm_id`. The whole value must match. Only `crm_id` is case-sensitive.
 */
export const findRecords = consoleOperation('get', '/orgs/{org}/records', {
  permission: 'read',
  query: z.strictObject({
    /** An id, email address, domain, name or `crm_id`. Without it the list is empty. */
    value: text({ min: 1, max: 255 }).optional(),
  }),
  success: { status: 200, body: wholeListSchema(FoundRecord) },
});
