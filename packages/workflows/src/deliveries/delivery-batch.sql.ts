import { binaryStatement, type Db } from '@relata/db';
import { type DeliveryConditions, matches, ofTrigger } from './delivery.sql.ts';

/**
 * A delivery that a search examines. Body and headers are null if the outcome or workflow of the search excludes it.
 */
export interface SearchedDelivery {
  id: string;
  /** Time as PostgreSQL prints it. */
  received_at: string;
  body: Buffer | null;
  /** Headers as JSON. */
  headers: string | null;
}

/**
 * Sums up lengths before it reads bodies, so that a large body beyond the limit is not fetched from TOAST. With OFFSET
 * the conditions are evaluated once per delivery rather than once per column.
 */
const batchOf = (condition: string) => `SELECT n.id::text, n.received_at::text, n.body, n.headers::text FROM (
     SELECT s.*, sum(s.bytes) OVER (ORDER BY s.id DESC ROWS UNBOUNDED PRECEDING) - s.bytes AS bytes_before FROM (
       SELECT l.id, l.received_at, CASE WHEN l.matches THEN l.headers END AS headers,
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
  batchOf(ofTrigger('webhook_deliveries', { orgId: '$1', triggerId: '$8' })),
);

interface BatchBounds {
  /** Range of ids: `low` is included, `high` is not. */
  low: string;
  high: string;
  rowsMax: number;
  /** Maximum size of all bodies together, in bytes. The last body may exceed it. */
  bytesMax: number;
}

/** Reads the newest deliveries among these ids, including those that the conditions exclude. */
export function readDeliveryBatch(
  db: Db,
  orgId: string,
  { triggerId, outcome, workflowId }: DeliveryConditions,
  { low, high, rowsMax, bytesMax }: BatchBounds,
): Promise<SearchedDelivery[]> {
  const values = [orgId, rowsMax, low, high, outcome ?? null, workflowId ?? null, bytesMax];
  return triggerId ? db.query(batchOfTrigger, [...values, triggerId]) : db.query(batch, values);
}
