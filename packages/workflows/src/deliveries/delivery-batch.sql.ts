import { binaryStatement, type Db } from '@relata/db';
import { type DeliveryConditions, matches, ofTrigger } from './delivery.sql.ts';

/** A delivery that a search looks at; body and headers are null where the other conditions rule it out. */
export interface SearchedDelivery {
  id: string;
  /** As PostgreSQL prints it. */
  received_at: string;
  body: Buffer | null;
  /** JSON; null, too, where they were not asked for. */
  headers: string | null;
}

/**
 * Lengths are summed up before a body is read: a large one that is not wanted stays where large ones are kept. With OFFSET the
 * conditions are judged once for each delivery, and not for each of its columns.
 */
const batchOf = (condition: string) => `SELECT n.id::text, n.received_at::text, n.body, n.headers::text FROM (
     SELECT s.*, sum(s.bytes) OVER (ORDER BY s.id DESC ROWS UNBOUNDED PRECEDING) - s.bytes AS bytes_before FROM (
       SELECT l.id, l.received_at, CASE WHEN l.matches AND $8::boolean THEN l.headers END AS headers,
         CASE WHEN l.matches THEN l.body END AS body, CASE WHEN l.matches THEN length(l.body) ELSE 0 END AS bytes
       FROM (
         SELECT d.*, ${matches} AS matches FROM (
           SELECT id, org_id, received_at, body, headers FROM webhook_deliveries
           WHERE ${condition} AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $2
         ) d OFFSET 0
       ) l
     ) s
   ) n WHERE n.bytes_before < $7 ORDER BY n.id DESC`;

const batch = binaryStatement<SearchedDelivery>('webhook_deliveries.batch', batchOf('org_id = $1'));
const batchOfTrigger = binaryStatement<SearchedDelivery>(
  'webhook_deliveries.batch_of_trigger',
  batchOf(ofTrigger('webhook_deliveries', { orgId: '$1', triggerId: '$9' })),
);

interface BatchBounds {
  /** Ids from `low` on and below `high`. */
  low: string;
  high: string;
  rowsMax: number;
  /** Of bodies; the last one may go beyond. */
  bytesMax: number;
  hasHeaders: boolean;
}

/** The newest deliveries among these ids, also those that the conditions rule out. */
export function readDeliveryBatch(
  db: Db,
  orgId: string,
  { triggerId, outcome, workflowId }: DeliveryConditions,
  { low, high, rowsMax, bytesMax, hasHeaders }: BatchBounds,
): Promise<SearchedDelivery[]> {
  const values = [orgId, rowsMax, low, high, outcome ?? null, workflowId ?? null, bytesMax, hasHeaders];
  return triggerId ? db.query(batchOfTrigger, [...values, triggerId]) : db.query(batch, values);
}
