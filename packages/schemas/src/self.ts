import { z } from 'zod';
import { dataOf } from './list.ts';
import { operation } from './operation.ts';
import { ScopeName } from './scopes.ts';

const RateLimit = z.object({
  limit: z.int().meta({ description: 'Requests in one window.' }),
  window_seconds: z.number(),
});

export const Self = z
  .object({
    organization: z.object({ id: z.string().meta({ format: 'uuid' }), name: z.string() }),
    key: z.object({
      id: z.string().meta({ format: 'uuid' }),
      name: z.string(),
      kind: z.enum(['secret', 'publishable']),
      last_four: z.string().meta({ description: 'The last four characters of the key.' }),
      scopes: z.array(ScopeName),
      expires_at: z.string().nullable().meta({ format: 'date-time' }),
    }),
    limits: z.object({
      requests: RateLimit.nullable().meta({ description: '`null`: no limit.' }),
      body_bytes: z.int().meta({ description: 'The largest body accepted.' }),
      batch_items: z.int().meta({ description: 'The most items of a batch.' }),
      batch_items_per_request: z.int().meta({ description: 'So many items of a batch count as one request.' }),
      page_size: z.int().meta({ description: 'The largest `limit` of a list.' }),
    }),
  })
  .meta({ id: 'Self', description: 'What a key is and may do.' });

export type Self = z.output<typeof Self>;

export const getSelf = operation({
  id: 'getSelf',
  method: 'get',
  path: '/v1/self',
  tag: 'Keys',
  summary: 'Describe the key in use',
  description: 'Any valid key may ask.',
  scope: null,
  success: { status: 200, description: 'Organization, scopes, expiry and limits of the key.', body: dataOf(Self) },
});
