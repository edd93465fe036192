import { z } from 'zod';
import { uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { allOf, id, pageOf, pageQuery, time, timeQuery } from './shared/page.schema.ts';

const RefusedPost = z.object({
  id,
  trigger_id: id,
  trigger: z.string(),
  refused_at: time,
  status: z.int().meta({ description: 'What was answered.' }),
  reason: z.string(),
  message: z.string().meta({ description: 'What the sender was answered.' }),
  field: z.string().nullable().meta({ description: 'The fields at fault, where some are.' }),
  bytes: z.int().nullable().meta({ description: 'Of the body, or as the sender declared them.' }),
  address: z.string().nullable().meta({ description: 'The IP that it came from.' }),
  body: z.string().nullable().meta({ description: 'The first 8 kB; null of a post without the secret.' }),
});

export type RefusedPost = z.output<typeof RefusedPost>;

export const listRefusals = operation({
  id: 'listRefusals',
  method: 'get',
  path: `${orgPath}/refusals`,
  summary: 'List what triggers refused',
  description: 'Of each trigger the newest 100 with its secret and the newest 100 without, for 7 days.',
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({ ...pageQuery, ...timeQuery, trigger: uuid().optional() }),
  success: { status: 200, description: 'Refused posts, the newest first.', body: pageOf(RefusedPost) },
});

export const countRefusals = operation({
  id: 'countRefusals',
  method: 'get',
  path: `${orgPath}/triggers/{id}/refusals`,
  summary: 'Count what a trigger refused in the last 7 days',
  permission: 'read',
  params: pathOrgAndId,
  success: {
    status: 200,
    description: 'How often by reason, the most frequent first.',
    body: allOf(z.object({ reason: z.string(), refused: z.int(), last_refused_at: time })),
  },
});
