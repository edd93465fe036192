import { z } from 'zod';
import { instant } from '../fields/instant.ts';
import { text, uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { ListedDelivery, listDeliveries } from './delivery.operations.ts';
import { id, searchPageOf, time } from './shared/page.schema.ts';

const { trigger, workflow, outcome } = listDeliveries.query.shape;

export const DeliverySearch = z.object({
  ...searchPageOf(ListedDelivery).shape,
  next: id.nullable().meta({ description: 'The `before` to continue with; null if no older delivery is left.' }),
  looked_at: z.int().meta({ description: 'Number of deliveries that were examined.' }),
  looked_back_to: time.nullable().meta({ description: 'Older ones were not examined; null if there are none.' }),
  failed: z.int().meta({ description: 'Number of deliveries for which the expression has no result.' }),
  first_fault: z
    .object({ id, message: z.string() })
    .nullable()
    .meta({ description: 'The reason for the newest of them.' }),
});

export type DeliverySearch = z.output<typeof DeliverySearch>;

export const searchDeliveries = operation({
  id: 'searchDeliveries',
  method: 'post',
  path: `${orgPath}/deliveries/search`,
  summary: 'Search deliveries by what was sent',
  description:
    'Give `text` or `where`. The newest deliveries come first; one whose id is the text comes before them. An answer ' +
    'examines 1,000 deliveries and 4 MB of bodies at most, for 50 ms. Call it again with `before` as `next` says, until ' +
    'that is null: an answer may be empty although there are matches further back.',
  permission: 'read',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject({
    text: text({ min: 1, max: 500 }).optional().meta({
      description: 'A part of the body, of the value of a header, or the beginning of the id; case does not matter.',
    }),
    where: text({ min: 1, max: 2_000 }).optional().meta({
      description: 'An expression on `payload` and `delivery.headers`, as in the filter of a trigger.',
    }),
    limit: z.int().min(1).max(100).default(50).meta({ description: 'After so many matches it stops.' }),
    before: uuid().optional().meta({ description: 'Only what is older.' }),
    from: instant().optional(),
    to: instant().optional(),
    trigger,
    workflow,
    outcome,
  }),
  example: { text: 'ada@acme.example' },
  success: { status: 200, description: 'The matches, the newest first.', body: DeliverySearch },
});
