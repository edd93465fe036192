import { listWith } from '@relata/db';
import { ofTrigger } from '../deliveries/delivery.sql.ts';

/** A stored delivery. `body` is null if this body and those of newer deliveries exceed `bytesMax` together. */
export interface SampledDelivery {
  id: string;
  received_at: string;
  bytes: number;
  body: Buffer | null;
  headers: Record<string, string>;
}

/**
 * Lists the newest deliveries of a trigger, newest first, with at most `bytesMax` bytes of bodies. Sums up lengths first,
 * so that a body beyond the limit is not fetched from TOAST.
 */
export const sampleDeliveries = listWith<
  SampledDelivery,
  [orgId: string, triggerId: string, limit: number, bytesMax: number]
>(
  'webhook_deliveries.sample',
  `SELECT id, received_at, bytes, CASE WHEN total <= $4 THEN body END AS body, headers FROM (
     SELECT *, sum(bytes) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS total FROM (
       SELECT id, received_at, body, headers, length(body) AS bytes FROM webhook_deliveries l
       WHERE ${ofTrigger('l', { orgId: '$1', triggerId: '$2' })} ORDER BY id DESC LIMIT $3
     ) newest
   ) n ORDER BY id DESC`,
);
