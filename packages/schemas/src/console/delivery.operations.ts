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
  workflow: z.string().nullable(),
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
  /** At most two fields of the body, the most informative ones; a value has at most 80 characters. */
  fields: z.array(z.object({ path: z.string(), value: z.string() })),
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
  /** Workflows that it did not start when it was received, with the reasons. */
  skipped: z.array(Skipped),
  body: z.string(),
});

export type ListedDelivery = z.output<typeof ListedDelivery>;
export type Delivery = z.output<typeof Delivery>;

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'get',
  path: deliveries,
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({
    ...pageQuery,
    ...timeQuery,
    trigger: uuid().optional(),
    /** If `outcome` is given too, it is decided by the runs of this workflow. */
    workflow: uuid().optional(),
    outcome: z.enum(['started', 'failed', 'nothing']).optional(),
  }),
  success: { status: 200, body: searchPageOf(ListedDelivery) },
});

export const getDeliveryCounts = operation({
  id: 'getDeliveryCounts',
  method: 'get',
  path: `${deliveries}/counts`,
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({
    /** Defaults to a day before `to`. */
    from: instant().optional(),
    to: instant().optional(),
    trigger: uuid().optional(),
    /** Time zone such as "Europe/Zurich", in which the parts begin at round times; UTC by default. */
    zone: timeZone().optional(),
  }),
  success: {
    status: 200,
    body: allOf(
      z.object({
        from: time,
        to: time,
        deliveries: counted,
      }),
    ),
  },
});

export const getDelivery = operation({
  id: 'getDelivery',
  method: 'get',
  path: `${deliveries}/{id}`,
  permission: 'read',
  params: pathOrgAndId,
  success: { status: 200, body: dataOf(Delivery) },
});

/** Uses the current mappings, filters and newest versions. */
export const getReplayPreview = operation({
  id: 'getReplayPreview',
  method: 'get',
  path: `${deliveries}/{id}/replay`,
  permission: 'work',
  params: pathOrgAndId,
  success: {
    status: 200,
    body: dataOf(
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

export const replayDelivery = operation({
  id: 'replayDelivery',
  method: 'post',
  path: `${deliveries}/{id}/replay`,
  permission: 'work',
  params: pathOrgAndId,
  success: {
    status: 201,
    body: dataOf(z.object({ runs: z.array(id), skipped: z.array(Skipped) })),
  },
  errors: ['conflict'],
});
