import { z } from 'zod';
import { instant, timeZone } from '../fields/instant.ts';
import { text, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, counted, id, pageQuery, searchPageSchema, time, timeQuery } from './shared/page.schema.ts';
import { FailingStep, RunStatusName } from './shared/run.schema.ts';

const Skipped = z.object({
  workflow_id: id,
  workflow: z.string().nullable(),
  /** A replay starts only the refused workflows; their reason is `replayed` afterwards. */
  reason: z.enum(['filtered', 'filter_failed', 'refused', 'replayed']),
  /** Why the filter failed, or why a replay excluded a refused workflow. */
  message: z.string().optional(),
  /** Inputs of a refused workflow that the delivery does not satisfy, with the field from which each is taken. */
  problems: z
    .array(z.object({ input: z.string(), field: z.string(), code: z.string(), message: z.string() }))
    .optional(),
});

const delivery = {
  id,
  trigger_id: id,
  trigger: z.string(),
  received_at: time,
  bytes: z.int(),
  replays: z.int(),
  /** At most two fields of the body, the most informative ones; a value has at most 80 characters. */
  fields: z.array(z.object({ path: z.string(), value: z.string() })),
  /** Names of workflows whose inputs the delivery does not satisfy, until a replay starts them. */
  refused: z.array(z.string()),
  runs: z.array(
    z.object({
      id,
      workflow: z.string(),
      version: z.int(),
      status: RunStatusName,
      replay: z.int(),
      finished_at: time.nullable(),
    }),
  ),
};

const ListedDelivery = z.object(delivery);

const Delivery = z.object({
  ...delivery,
  headers: z.record(z.string(), z.string()),
  /** Workflows that the delivery did not start when it was received, with the reasons. */
  skipped: z.array(Skipped),
  body: z.string(),
});

export type ListedDelivery = z.output<typeof ListedDelivery>;
export type Delivery = z.output<typeof Delivery>;

const filters = {
  ...timeQuery,
  trigger: uuid().optional(),
  /** If `outcome` is given too, only the runs of this workflow determine it. */
  workflow: uuid().optional(),
  outcome: z.enum(['started', 'failed', 'nothing']).optional(),
};

export const listDeliveries = consoleOperation('get', '/orgs/{org}/deliveries', {
  permission: 'read',
  query: z.strictObject({ ...pageQuery, ...filters }),
  success: { status: 200, body: searchPageSchema(ListedDelivery) },
});

const DeliverySearch = z.object({
  ...searchPageSchema(ListedDelivery).shape,
  looked_at: z.int(),
  /** Deliveries before this time were not examined; null if all were examined. */
  looked_back_to: time.nullable(),
  /** Number of deliveries for which the expression yields no result. */
  failed: z.int(),
  /** The reason for the newest failure. */
  first_fault: z.object({ id, message: z.string() }).nullable(),
});

export type DeliverySearch = z.output<typeof DeliverySearch>;

/**
 * Takes either `text` or `where`. Returns the newest deliveries first, except that a delivery whose id equals `text`
 * comes before all others. One call examines at most 1,000 deliveries and 4 MB of bodies, in 50 ms of CPU time, so its
 * answer may be empty although older deliveries match. Repeat the call with `before` set to `next` until `next` is
 * null.
 */
export const searchDeliveries = consoleOperation('post', '/orgs/{org}/deliveries/search', {
  permission: 'read',
  onlyReads: true,
  body: z.strictObject({
    /** Part of the body or of a header's value, or the beginning of the id, regardless of case. */
    text: text({ min: 1, max: 500 }).optional(),
    /** Expression on `payload` and `delivery.headers`, as in the filter of a trigger. */
    where: text({ min: 1, max: 2_000 }).optional(),
    /** Number of matches after which the search stops. */
    limit: z.int().min(1).max(100).default(50),
    before: uuid().optional(),
    ...filters,
  }),
  example: { text: 'ada@acme.example' },
  success: { status: 200, body: DeliverySearch },
});

export const getDeliveryCounts = consoleOperation('get', '/orgs/{org}/deliveries/counts', {
  permission: 'read',
  query: z.strictObject({
    /** Defaults to a day before `to`. */
    from: instant().optional(),
    to: instant().optional(),
    trigger: uuid().optional(),
    /** Time zone such as "Europe/Zurich", in which the counted periods begin at round times; UTC by default. */
    zone: timeZone().optional(),
  }),
  success: {
    status: 200,
    body: wholeListSchema(
      z.object({
        from: time,
        to: time,
        deliveries: counted,
      }),
    ),
  },
});

export const getDelivery = consoleOperation('get', '/orgs/{org}/deliveries/{id}', {
  permission: 'read',
  success: { status: 200, body: dataSchema(Delivery) },
});

/**
 * `all` starts every workflow of the trigger. Without it, a replay of a delivery with refused workflows starts only
 * those.
 */
const replayQuery = z.strictObject({ all: z.literal('true').optional() });

/** Uses the current mappings and filters, and the newest versions of the workflows. */
export const getReplayPreview = consoleOperation('get', '/orgs/{org}/deliveries/{id}/replay', {
  permission: 'work',
  query: replayQuery,
  success: {
    status: 200,
    body: dataSchema(
      z.object({
        starts: z.array(
          z.object({ workflow_id: id, workflow: z.string(), version: z.int(), fails: FailingStep.nullable() }),
        ),
        skipped: z.array(Skipped.extend({ filter: z.string().nullable() })),
        problems: z.array(z.string()),
        /** Steps that earlier runs have finished and a replay would execute again. */
        repeated: z.array(z.object({ workflow_id: id, workflow: z.string(), steps: z.array(z.string()) })),
      }),
    ),
  },
  errors: ['conflict'],
});

export const replayDelivery = consoleOperation('post', '/orgs/{org}/deliveries/{id}/replay', {
  permission: 'work',
  query: replayQuery,
  success: { status: 201, body: dataSchema(z.object({ runs: z.array(id), skipped: z.array(Skipped) })) },
  errors: ['conflict'],
});
