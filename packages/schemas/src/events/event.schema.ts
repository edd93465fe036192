import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { isUuid, problem } from '../fields/text.ts';
import { auditTypesText } from './audit-types.ts';

const Actor = z.object({
  type: z.enum(['api_key', 'run', 'operator', 'user', 'system']),
  id: z.string().optional(),
  name: z.string().optional().meta({ description: 'The name that the key or the user had then.' }),
});

const Run = z.object({
  id: z.string().meta({ format: 'uuid' }),
  workflow: z.string().meta({ description: 'Its name.' }),
  step: z.string(),
  depth: z.int().meta({ description: 'How many runs led to the change, this one included.' }),
});

const fields = z.record(z.string(), z.unknown());

export const Event = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    type: z.string().meta({
      description:
        '`created` or `updated` behind the `record_type` of a record; of what operators change one of ' +
        `${auditTypesText}. More may come: pass over what you do not know.`,
      examples: ['opportunity.updated'],
    }),
    created_at: z.string().meta({ format: 'date-time' }),
    record_type: z.string(),
    record_id: z.string().meta({ format: 'uuid' }),
    actor: Actor.meta({ description: 'Who made the change.' }),
    request_id: z.string().optional().meta({ description: 'The `X-Request-Id` of the request.' }),
    run: Run.optional().meta({ description: 'The run of a workflow that made the change.' }),
    changed: z.array(z.string()).optional().meta({
      description: 'The fields that differ now; also those that are never shown, such as the value of a secret.',
    }),
    previous: fields
      .optional()
      .meta({ description: 'Their values before, as they were shown; a field that had none is absent.' }),
    record: fields.meta({
      description: 'The record after the change, as GET showed it; of what operators change, what may be shown.',
    }),
  })
  .meta({ id: 'Event', description: 'A change: who, when, and from what to what.' });

export type Event = z.output<typeof Event>;

/** A page of the feed. */
export const eventsPage = z.object({
  data: z.array(Event),
  next_cursor: z.string().meta({ description: 'Go on by `after`. It moves over events that did not match, too.' }),
  has_more: z.boolean().meta({ description: 'True if there is more to read right now.' }),
});

export const cursor = z
  .string()
  .check((ctx) => {
    const { value } = ctx;
    if (value !== 'start' && value !== 'latest' && !isUuid(value)) problem(ctx, 'invalid_cursor', noCursor);
  })
  .toLowerCase()
  .optional()
  .meta({
    description:
      'The `next_cursor` of an answer; `start` for the oldest event that is kept, `latest` for what comes from now on.',
  });

export const eventsLimit = queryInteger({ min: 1, max: 1_000 })
  .default(100)
  .meta({ description: 'How many events an answer holds.' });

const noCursor = 'Must be the `next_cursor` of an answer, the id of an event, `start` or `latest`.';

/** Query of the events of one record. */
export const historyQuery = z.strictObject({ after: cursor, limit: eventsLimit });
