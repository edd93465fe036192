import { type Db, firstIdAt, statement } from '@relata/db';

/** A part of an hour, in ms since 1970, and how much came in within it. */
export interface CountedSlice {
  from: number;
  deliveries: number;
  /** Whether there were too many to count, and the number goes by how soon the first of them came. */
  isEstimate: boolean;
}

/** So long that a few counts make a day, and as short as the shift of any time zone. */
export const sliceMs = 15 * 60_000;
/** So many of a slice are counted: a day of 10,000,000 deliveries is 48,000 entries of an index. */
const countedMax = 500;

/** By ranges of ids, whose order is that of time: the index alone is read. */
const count = statement<{ place: number; deliveries: number; last: string | null }>(
  'webhook_deliveries.count_slices',
  `SELECT s.place::integer, counted.deliveries, counted.last
   FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS s (low, high, place) CROSS JOIN LATERAL (
     SELECT count(*)::integer AS deliveries, max(f.id::text) AS last FROM (
       SELECT d.id FROM webhook_deliveries d
       WHERE d.org_id = $1 AND d.id >= s.low AND d.id < s.high ORDER BY d.id LIMIT ${countedMax}
     ) f
   ) counted ORDER BY s.place`,
);

/** How much came in within each of these slices, given by their beginnings in ms since 1970. */
export async function countSlices(db: Db, orgId: string, starts: readonly number[]): Promise<CountedSlice[]> {
  if (starts.length === 0) return [];
  const ids = starts.map((from) => firstIdAt(from));
  const ends = starts.map((from) => firstIdAt(from + sliceMs));
  const rows = await db.query(count, [orgId, ids, ends]);
  return rows.map(({ place, deliveries, last }) => sliceOf(starts[place - 1]!, deliveries, last));
}

function sliceOf(from: number, deliveries: number, last: string | null): CountedSlice {
  if (deliveries < countedMax || last === null) return { from, deliveries, isEstimate: false };
  const tookMs = Math.max(1, timeOf(last) - from);
  const wholeMs = Math.max(tookMs, Math.min(sliceMs, Date.now() - from));
  return { from, deliveries: Math.round((deliveries * wholeMs) / tookMs), isEstimate: true };
}

/** When an id was made, in ms since 1970: the first 48 bits of a UUID version 7. */
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
