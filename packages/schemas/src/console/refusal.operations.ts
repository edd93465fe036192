import { z } from 'zod';
import { uuid } from '../fields/text.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, id, pageSchema, pageQuery, time, timeQuery } from './shared/page.schema.ts';

const RefusedPost = z.object({
  id,
  trigger_id: id,
  trigger: z.string(),
  refused_at: time,
  status: z.int(),
  reason: z.string(),
  message: z.string(),
  /** Names of the invalid fields, if any. */
  field: z.string().nullable(),
  /** Size of the body in bytes, as received or as the sender declared it. */
  bytes: z.int().nullable(),
  address: z.string().nullable(),
  /** The first 8 KB; null for a post without the secret. */
  body: z.string().nullable(),
  /** True if the whole body was kept, so that a replay can store it as a delivery. */
  can_replay: z.boolean(),
  /** The delivery that a replay stored from the post. */
  delivery_id: id.nullable(),
});

export type RefusedPost = z.output<typeof RefusedPost>;

/**
 * Lists refused posts, which are kept for 7 days. For each trigger, these are the newest 100 of each of three kinds:
 * posts without a valid secret or signature, authentic posts that got 400, and authentic posts with any other status.
 */
export const listRefusals = consoleOperation('get', '/orgs/{org}/refusals', {
  permission: 'read',
  query: z.strictObject({ ...pageQuery, ...timeQuery, trigger: uuid().optional() }),
  success: { status: 200, body: pageSchema(RefusedPost) },
});

export const countRefusals = consoleOperation('get', '/orgs/{org}/triggers/{id}/refusals', {
  permission: 'read',
  success: {
    status: 200,
    body: wholeListSchema(
      z.object({
        reason: z.string(),
        refused: z.int(),
        last_refused_at: time,
        /** Newest message, if one of these refusals is still stored. */
        last_message: z.string().nullable(),
      }),
    ),
  },
});
