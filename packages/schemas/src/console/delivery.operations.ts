import { z } from 'zod';
import { instant, timeZone } from '../fields/instant.ts';
import { uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { counted } from './shared/count.schema.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { allOf, id, pageQuery, searchPageOf, time, timeQuery } from './shared/page.schema.ts';
import { FailingStep, RunStatusName } from './shared/run.schema.ts';

const deliveries = `${orgPath}/deliveries` as const;

const Skipped = z.object({
  workflow_id: id,
  workflow: z.string().nullable().meta({ description: 'Its name.' }),
  reason: z.enum(['filtered', 'filter_failed']),
  message: z.string().optional(),
});

const delivery = {
  id,
  trigger_id: id,
  trigger: z.string(),
  received_at: time,
  bytes: z.int(),
  replays: z.int(),
  fields: z.array(z.object({ path: z.string(), value: z.string() })).meta({
    description: 'The two most telling fields of what was sent, at most; a value has 80 characters at most.',
  }),
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

export const ListedDelivery = z.object(delivery);

export const Delivery = z.object({
  ...delivery,
  headers: z.record(z.string(), z.string()),
  skipped: z.array(Skipped).meta({ description: 'Workflows that it did not start when it came in, and why.' }),
  body: z.string().meta({ description: 'As it was sent.' }),
});

export type ListedDelivery = z.output<typeof ListedDelivery>;
export type Delivery = z.output<typeof Delivery>;

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'get',
  path: deliveries,
  summary: 'List what came in',
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({
    ...pageQuery,
    ...timeQuery,
    trigger: uuid().optional(),
    workflow: uuid()
      .optional()
      .meta({ description: 'Only what started it; with an outcome, of whose runs that is said.' }),
    outcome: z.enum(['started', 'failed', 'nothing']).optional().meta({
      description: 'Only what started runs, of which one failed, or what started none.',
    }),
  }),
  success: { status: 200, description: 'Deliveries, the newest first.', body: searchPageOf(ListedDelivery) },
});

export const getDeliveryCounts = operation({
  id: 'getDeliveryCounts',
  method: 'get',
  path: `${deliveries}/counts`,
  summary: 'Count what came in over a span of time',
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({
    from: instant()
      .optional()
      .meta({ description: 'Only what came in then or later; a day before the end unless given.' }),
    to: instant().optional().meta({ description: 'Only what came in before; now unless given.' }),
    trigger: uuid().optional(),
    zone: timeZone().optional().meta({
      description: 'By whose clocks the parts begin at round times, such as "Europe/Zurich"; UTC unless given.',
    }),
  }),
  success: {
    status: 200,
    description: 'At most 32 parts of the span, the oldest first. The first and the last may be cut, to whole minutes.',
    body: allOf(
      z.object({
        from: time,
        to: time,
        deliveries: counted('Deliveries that were received within it'),
      }),
    ),
  },
});

export const getDelivery = operation({
  id: 'getDelivery',
  method: 'get',
  path: `${deliveries}/{id}`,
  summary: 'Read a delivery with its body',
  permission: 'read',
  params: pathOrgAndId,
  success: { status: 200, description: 'The delivery.', body: dataOf(Delivery) },
});

export const getReplayPreview = operation({
  id: 'getReplayPreview',
  method: 'get',
  path: `${deliveries}/{id}/replay`,
  summary: 'Show what a replay of a delivery would start',
  description: 'By the mappings, the filters and the newest versions as they are now.',
  permission: 'work',
  params: pathOrgAndId,
  success: {
    status: 200,
    description: 'What would be started, and what not and why.',
    body: dataOf(
      z.object({
        starts: z.array(
          z.object({ workflow_id: id, workflow: z.string(), version: z.int(), fails: FailingStep.nullable() }),
        ),
        skipped: z.array(Skipped.extend({ filter: z.string().nullable().meta({ description: 'As it is now.' }) })),
        problems: z.array(z.string()).meta({ description: 'Why nothing would be started.' }),
        repeated: z
          .array(z.object({ workflow_id: id, workflow: z.string(), steps: z.array(z.string()) }))
          .meta({ description: 'Steps that earlier runs have done, and that would be done again.' }),
      }),
    ),
  },
  errors: ['conflict'],
});

export const replayDelivery = operation({
  id: 'replayDelivery',
  method: 'post',
  path: `${deliveries}/{id}/replay`,
  summary: 'Start anew what the trigger of a delivery starts now',
  permission: 'work',
  params: pathOrgAndId,
  success: {
    status: 201,
    description: 'The runs that were started, and what was not.',
    body: dataOf(z.object({ runs: z.array(id), skipped: z.array(Skipped) })),
  },
  errors: ['conflict'],
});
