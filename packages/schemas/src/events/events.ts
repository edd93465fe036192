import { z } from 'zod';
import { customActivity } from '../custom-activity.ts';
import { instant } from '../fields/instant.ts';
import { queryInteger } from '../fields/numbers.ts';
import { pathId } from '../fields/path-id.ts';
import { problem, text, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { operation } from '../operation.ts';
import type { Resource } from '../resource.ts';
import * as records from '../resources/index.ts';
import { auditRecordTypes, auditTypes } from './audit-types.ts';
import { cursor, Event, eventsLimit, eventsPage } from './event.schema.ts';

const resources: readonly Resource[] = [...Object.values(records), customActivity];

/** Names of records in the types of their events. */
const recordNames = resources.map(({ eventName }) => eventName);

/** Kinds of objects that events are about. */
export const recordTypes = [...recordNames, ...auditRecordTypes];

/** Returns the verbs in the types of a kind's events. */
const verbsOf = ({ operations, goesToTrash }: Resource) => [
  'created',
  'updated',
  ...(operations.delete ? ['deleted'] : []),
  ...(goesToTrash ? ['restored', 'erased'] : []),
  ...(operations.merge ? ['merged'] : []),
];

const eventTypes: ReadonlySet<string> = new Set([
  ...recordTypes.map((name) => `${name}.*`),
  ...resources.flatMap((resource) => verbsOf(resource).map((verb) => `${resource.eventName}.${verb}`)),
  ...auditTypes,
]);

/** Returns true for a type such as `account.created`, and for `account.*`. */
export const isEventType = (type: string): boolean => eventTypes.has(type);

const typesMax = 50;

const types = z
  .string()
  .check((ctx) => {
    const given = ctx.value.split(',');
    if (given.length > typesMax) problem(ctx, 'too_many', `Must have at most ${typesMax} types.`);
    else if (!given.every(isEventType)) problem(ctx, 'invalid_enum', typeRule());
  })
  .transform((types) => types.split(','))
  .meta({
    type: 'string',
    description:
      'Types, separated by commas: `account.created`, or `account.*` for all types of accounts. The schema ' +
      '`Event` lists the types for objects that operators change.',
    param: { example: 'account.*,opportunity.updated' },
  });

function typeRule(): string {
  return `Must be an event type, such as account.created or account.*. Its first part is one of: ${recordTypes.join(', ')}.`;
}

export const eventFilters = {
  type: types.optional(),
  record_type: z.enum(recordTypes).optional().meta({ description: 'Only events of this record type.' }),
  record_id: uuid().optional().meta({ description: 'Only events of this record.' }),
  actor_id: text({ min: 1, max: 255 })
    .optional()
    .meta({ description: 'Only events whose actor is this API key, run or user.' }),
  request_id: text({ min: 1, max: 255 }).optional().meta({ description: 'Only events of this request.' }),
  changed: text({ min: 1, max: 100 }).optional().meta({ description: 'Only events that changed this field.' }),
  'created_at[gte]': instant().optional().meta({ description: 'Only events at or after this time.' }),
  'created_at[lt]': instant().optional().meta({ description: 'Only events before this time.' }),
};

const query = z.strictObject({
  after: cursor,
  limit: eventsLimit,
  order: z.enum(['asc', 'desc']).default('asc').meta({
    description:
      '`asc` to follow changes; `desc` for the newest first. With `desc`, `after` continues with older events.',
  }),
  wait: queryInteger({ min: 0, max: 30 })
    .default(0)
    .meta({ description: 'Seconds to wait if there is no event yet; only with `asc`.' }),
  ...eventFilters,
});

export type EventsQuery = z.output<typeof query>;

const tag = 'Events';

/** Request headers with which a client continues a stream that ended. */
export const streamHeaders = z.object({
  'Last-Event-ID': cursor.meta({
    description: 'The last `id` received from a stream, to continue after it. It takes precedence over `after`.',
  }),
});

const stream = {
  description:
    'Server-sent events: `event` is the type, `data` the event as JSON, `id` the cursor. A block with only ' +
    'an `id` moves the cursor past events that do not match. A comment is sent every 15 s. The stream ends ' +
    'after 10 minutes.',
  headers: streamHeaders,
};

export const listEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/v1/events',
  tag,
  summary: 'Follow changes',
  description:
    'Events of records and of objects that operators change (keys, triggers, workflows, names of secrets). ' +
    'Each event appears exactly once and in the order of the changes; no event ever appears before a cursor ' +
    'that was returned. An answer has fewer than `limit` events if they would exceed 1 MB. With `Accept: ' +
    'text/event-stream`, events are sent as they happen; `limit`, `wait` and `order=desc` do not apply then.',
  scope: 'events:read',
  query,
  success: { status: 200, description: 'Events, and the cursor to continue from.', body: eventsPage },
  stream,
  errors: ['cursor_expired'],
});

export const getEvent = operation({
  id: 'getEvent',
  method: 'get',
  path: '/v1/events/{id}',
  tag,
  summary: 'Read an event',
  scope: 'events:read',
  params: pathId,
  success: { status: 200, description: 'The event.', body: dataSchema(Event) },
});
