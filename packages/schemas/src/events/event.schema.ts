import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { isUuid, problem } from '../fields/text.ts';
import { auditTypesText } from './audit-types.ts';

const Actor = z.object({
  type: z.enum(['api_key', 'run', 'operator', 'user', 'system']),
  id: z.string().optional(),
  name: z.string().optional().meta({ description: 'Name of the key or user at the time of the change.' }),
});

const Run = z.object({
  id: z.string().meta({ format: 'uuid' }),
  workflow: z.string().meta({ description: 'Its name.' }),
  step: z.string(),
  depth: z.int().meta({ description: 'Length of the chain of runs that led to the change, including this run.' }),
});

const fields = z.record(z.string(), z.unknown());

export const Event = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    type: z.string().meta({
      description:
        'The `record_type` of a record and `created`, `updated`, `deleted`, `restored`, `merged` or `erased`; for a change by operators, one of ' +
        `${auditTypesText}. New types may be added: ignore those that you do not know.`,
      examples: ['opportunity.updated'],
    }),
    created_at: z.string().meta({ format: 'date-time' }),
    record_type: z.string(),
    record_id: z.string().meta({ format: 'uuid' }),
    actor: Actor.meta({ description: 'Who made the change.' }),
    request_id: z.string().optional().meta({ description: 'The `X-Request-Id` of the request.' }),
    run: Run.optional().meta({ description: 'The run of a workflow that made the change.' }),
    changed: z.array(z.string()).optional().meta({
      description: 'Fields that were changed, including those that are never shown, such as the value of a secret.',
    }),
    previous: fields.optional().meta({
      description:
        'Previous values of the fields in `changed`, as they were shown. Fields that had no value are absent.',
    }),
    candidate_count: z.int().optional().meta({
      description: 'Number of records from which an upsert with `on_several` chose this one, counted up to 100.',
    }),
    details: fields.optional().meta({
      description:
        'Further facts about the change: the `deletion_id` of a deleted or restored record, `merged_into` of a merged record, ' +
        'the `losers` and `moved` links of a merge.',
    }),
    record: fields.meta({
      description:
        'The record after the change, as GET showed it, or a deleted record as it was. For other objects: the fields that may be shown.',
    }),
    erased: z.literal(true).optional().meta({
      description:
        'Present if the record was erased. `record` then has only its `id`; `previous` and `details` are absent.',
    }),
  })
  .meta({ id: 'Event', description: 'A change, with its actor, time, and the values before and after.' });

export type Event = z.output<typeof Event>;

export const eventsPage = z.object({
  data: z.array(Event),
  next_cursor: z.string().meta({
    description: 'Cursor to send as `after` in the next request. It also moves past events that did not match.',
  }),
  has_more: z.boolean().meta({ description: 'True if more events can be read immediately.' }),
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
      'The `next_cursor` of an answer, `start` for the oldest event that is kept, or `latest` for new events only.',
  });

export const eventsLimit = queryInteger({ min: 1, max: 1_000 })
  .default(100)
  .meta({ description: 'Maximum number of events in an answer.' });

const noCursor = 'Must be the `next_cursor` of an answer, the id of an event, `start` or `latest`.';

export const historyQuery = z.strictObject({ after: cursor, limit: eventsLimit });
