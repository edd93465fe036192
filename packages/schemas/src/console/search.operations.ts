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
  /** Value of `before` for the next call; null if no older delivery is left. */
  next: id.nullable(),
  looked_at: z.int(),
  /** Deliveries before this time were not examined; null if there are none. */
  looked_back_to: time.nullable(),
  /** Number of deliveries for which the expression yields no result. */
  failed: z.int(),
  /** The reason for the newest failure. */
  first_fault: z.object({ id, message: z.string() }).nullable(),
});

export type DeliverySearch = z.output<typeof DeliverySearch>;

/**
 * Takes either `text` or `where`. Returns the newest deliveries first, but a delivery whose id is the text before them.
 * One call examines at most 1,000 deliveries and 4 MB of bodies, for 50 ms, so its answer may be empty although older
 * deliveries match. Repeat the call with `before` set to `next` until `next` is null.
 */
export const searchDeliveries = operation({
  id: 'searchDeliveries',
  method: 'post',
  path: `${orgPath}/deliveries/search`,
  permission: 'read',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject({
    /** Part of the body or of a header's value, or the beginning of the id, in any case. */
    text: text({ min: 1, max: 500 }).optional(),
    /** Expression on `payload` and `delivery.headers`, as in the filter of a trigger. */
    where: text({ min: 1, max: 2_000 }).optional(),
    /** Number of matches after which the search stops. */
    limit: z.int().min(1).max(100).default(50),
    before: uuid().optional(),
    from: instant().optional(),
    to: instant().optional(),
    trigger,
    workflow,
    outcome,
  }),
  example: { text: 'ada@acme.example' },
  success: { status: 200, body: DeliverySearch },
});
