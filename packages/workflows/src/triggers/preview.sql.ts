import { type Db, statement } from '@relata/db';

/** A stored delivery; its body is null beyond the bytes that were asked for. */
export interface SampledDelivery {
  id: string;
  received_at: string;
  bytes: number;
  body: Buffer | null;
  headers: Record<string, string>;
}

/** Lengths come first: a body that is not wanted is never read from where large ones are kept. */
const sample = statement<SampledDelivery>(
  'webhook_deliveries.sample',
  `SELECT d.id, d.received_at, n.bytes, CASE WHEN n.total <= $4 THEN d.body END AS body, d.headers FROM (
     SELECT id, bytes, sum(bytes) OVER (ORDER BY id DESC) AS total FROM (
       SELECT id, length(body) AS bytes FROM webhook_deliveries
       WHERE org_id = $1 AND trigger_id = $2 ORDER BY id DESC LIMIT $3
     ) newest
   ) n JOIN webhook_deliveries d ON d.org_id = $1 AND d.id = n.id ORDER BY d.id DESC`,
);

/** The newest deliveries of a trigger, the newest first, with bodies of at most so many bytes together. */
export function sampleDeliveries(
  db: Db,
  orgId: string,
  { triggerId, limit, bytesMax }: { triggerId: string; limit: number; bytesMax: number },
): Promise<SampledDelivery[]> {
  return db.query(sample, [orgId, triggerId, limit, bytesMax]);
}
