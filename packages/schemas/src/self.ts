import { z } from 'zod';
import { dataSchema } from './lists/list.ts';
import { operation } from './operation.ts';
import { ScopeName } from './scopes.ts';

const RateLimit = z.object({
  limit: z.int().meta({ description: 'Requests allowed per window.' }),
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
      requests: RateLimit.nullable().meta({ description: '`null` if there is no limit.' }),
      body_bytes: z.int().meta({ description: 'Maximum size of a body, in bytes.' }),
      batch_items: z.int().meta({ description: 'Maximum number of items in a batch.' }),
      batch_items_per_request: z.int().meta({ description: 'Number of items of a batch that count as one request.' }),
      page_size: z.int().meta({ description: 'Maximum `limit` of a list.' }),
    }),
  })
  .meta({ id: 'Self', description: 'A key with its permissions and limits.' });

export type Self = z.output<typeof Self>;

export const getSelf = operation({
  id: 'getSelf',
  method: 'get',
  path: '/v1/self',
  tag: 'Keys',
  summary: 'Describe the key in use',
  description: 'Works with any valid key.',
  scope: null,
  success: { status: 200, description: 'Organization, scopes, expiry and limits of the key.', body: dataSchema(Self) },
});
