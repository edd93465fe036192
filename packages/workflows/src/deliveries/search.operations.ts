import { type Db, isoTimestamp } from '@relata/db';
import { readInput } from '@relata/events';
import { QueueFullError, Slots } from '@relata/runtime';
import { longText, isUuid, uuid } from '@relata/schemas';
import { validationError } from '@relata/schemas/errors';
import { z } from 'zod';
import { idRange } from '../list-window.ts';
import { TimeSlicer, type TimeSlicerOptions } from '../time-slicer.ts';
import { readDeliveryBatch } from './delivery-batch.sql.ts';
import { type Delivery, deliveryOutcomes, listDeliveriesById } from './delivery.sql.ts';
import { expressionCondition, type SearchCondition, textCondition } from './search-condition.ts';
import { type ReadBatch, SearchWalk } from './search-walk.ts';

/** CPU time for one page, in ms. A single evaluation is stopped after 10 to 30 ms. */
const workMsMax = 50;

/** Concurrent searches: each holds bodies in memory. */
const slots = new Slots(2);
const longestWait = { ms: 5_000, error: () => new QueueFullError('Too many searches are in progress.') };

const NewSearch = z.object({
  text: longText(1).optional(),
  where: longText(1).optional(),
  limit: z.int().min(1).max(1_000).default(50),
  before: uuid().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  triggerId: uuid().optional(),
  workflowId: uuid().optional(),
  outcome: z.enum(deliveryOutcomes).optional(),
});

type Conditions = Omit<z.output<typeof NewSearch>, 'text' | 'where' | 'limit'>;

interface SearchContext extends Pick<TimeSlicerOptions, 'takeTurn'> {
  database: Db;
  /** Aborted once the client no longer waits for the response. */
  signal?: AbortSignal | undefined;
}

export interface DeliverySearch {
  /** Matching deliveries, newest first. If the text is the id of a delivery, this delivery comes first. */
  deliveries: Delivery[];
  lookedAt: number;
  /** Time when the oldest examined delivery was received; undefined if no older delivery is left. */
  lookedBackTo: string | undefined;
  /** The id to continue before; undefined if no older delivery is left. */
  next: string | undefined;
  /** Number of deliveries for which the expression has no result, and the reason for the newest of them. */
  failed: number;
  firstFault: { id: string; message: string } | undefined;
}

/**
 * Searches deliveries, newest first, by a `text` in their content or by the expression `where`. Examines at most 1,000
 * deliveries and 4 MB of bodies, in at most 50 ms of CPU time; `next` continues after them.
 */
export async function searchDeliveryBodies(
  { database, takeTurn, signal }: SearchContext,
  orgId: string,
  input: z.input<typeof NewSearch>,
): Promise<DeliverySearch> {
  const { text, where, limit, ...search } = readInput(NewSearch, input);
  const condition = conditionOf({ text, where });
  using _slot = await slots.hold([orgId], { signal, longestWait });
  const named = await findNamed(database, orgId, text, search);
  const slicer = new TimeSlicer({ workMsMax, takeTurn });
  const walk = new SearchWalk({ condition, limit, slicer, signal, known: named?.id });
  const ids = idRange(search);
  const read: ReadBatch = (bounds) => readDeliveryBatch(database, orgId, search, { ...ids, ...bounds });
  await walk.through(ids.high, read);
  const { matches, lookedAt, failed, firstFault, last } = walk;
  const found = matches.length > 0 ? await listDeliveriesById(database, orgId, matches) : [];
  const deliveries = named && search.before === undefined ? [named, ...found] : found;
  const lookedBackTo = last && isoTimestamp(last.received_at);
  return { deliveries, lookedAt, lookedBackTo, next: last?.id, failed, firstFault };
}

function conditionOf({ text, where }: { text: string | undefined; where: string | undefined }): SearchCondition {
  if (text !== undefined && where === undefined) return textCondition(text);
  if (where !== undefined && text === undefined) return expressionCondition(where);
  const message = 'Give either a text or an expression to search by.';
  throw validationError([{ in: 'body', field: 'text', code: 'invalid_format', message }]);
}

/**
 * Finds the delivery whose id equals the text, however old it is, if it matches the trigger and the time range of the
 * search. Returns undefined for a search by outcome or workflow.
 */
async function findNamed(db: Db, orgId: string, text: string | undefined, search: Conditions) {
  const { triggerId, outcome, workflowId, from, to } = search;
  if (text === undefined || !isUuid(text) || outcome || workflowId) return undefined;
  const [found] = await listDeliveriesById(db, orgId, [text]);
  const { low, high } = idRange({ from, to });
  const isWithin = found && found.id >= low && found.id < high && (!triggerId || found.trigger_id === triggerId);
  return isWithin ? found : undefined;
}
