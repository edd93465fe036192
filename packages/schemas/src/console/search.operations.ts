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
  next: id.nullable().meta({ description: 'The `before` to search on with; null where no older delivery is left.' }),
  looked_at: z.int().meta({ description: 'How many deliveries were looked at.' }),
  looked_back_to: time.nullable().meta({ description: 'Older ones were not looked at; null: there are none.' }),
  failed: z.int().meta({ description: 'Of how many the expression came to no result.' }),
  first_fault: z
    .object({ id, message: z.string() })
    .nullable()
    .meta({ description: 'Why it did not for the newest of them.' }),
});

export type DeliverySearch = z.output<typeof DeliverySearch>;

export const searchDeliveries = operation({
  id: 'searchDeliveries',
  method: 'post',
  path: `${orgPath}/deliveries/search`,
  summary: 'Search deliveries by an expression on what was sent',
  description:
    'From the newest on. Looks at 1,000 deliveries and 4 MB of bodies at most, and evaluates for 50 ms. Call it again with ' +
    '`before` as `next` says, until that is null: an answer may be empty though there are matches further back.',
  permission: 'read',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject({
    where: text({ min: 1, max: 2_000 }).meta({
      description: 'What has to hold of `payload` and `delivery.headers`, as in the filter of a trigger.',
    }),
    limit: z.int().min(1).max(100).default(50).meta({ description: 'After so many matches it stops.' }),
    before: uuid().optional().meta({ description: 'Only what is older.' }),
    from: instant().optional(),
    to: instant().optional(),
    trigger,
    workflow,
    outcome,
  }),
  example: { where: 'payload.email == "ada@acme.example"' },
  success: { status: 200, description: 'The matches, the newest first.', body: DeliverySearch },
});
