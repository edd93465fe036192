import { type Db, firstIdAt, type Statement, statement } from '@relata/db';

/** A span of time, in ms since 1970. */
export interface Slice {
  from: number;
  to: number;
}

export interface CountedSlice extends Slice {
  count: number;
  /** Whether there were too many to count, and the number goes by how soon the first of them came. */
  isEstimate: boolean;
}

/** So many of a slice are counted: a day of 10,000,000 deliveries is 48,000 entries of an index. */
const countedMax = 500;

type SliceStatement = Statement<{ place: number; count: number; last: string | null }>;

/**
 * Counts rows of a table by ranges of their ids, whose order is that of time: of an index that has the columns of the
 * condition before the id, no more is read than is counted. The condition has the parameters from $3 on.
 */
export const countsOf = (name: string, table: string, condition: string): SliceStatement =>
  statement(
    name,
    `SELECT s.place::integer, counted.count, counted.last
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS s (low, high, place) CROSS JOIN LATERAL (
       SELECT count(*)::integer AS count, max(f.id::text) AS last FROM (
         SELECT d.id FROM ${table} d
         WHERE ${condition} AND d.id >= s.low AND d.id < s.high ORDER BY d.id LIMIT ${countedMax}
       ) f
     ) counted ORDER BY s.place`,
  );

/** How much there is of each of these slices. */
export async function countSlices(
  db: Db,
  counts: SliceStatement,
  slices: readonly Slice[],
  values: readonly string[],
): Promise<CountedSlice[]> {
  if (slices.length === 0) return [];
  const [lows, highs] = [slices.map(({ from }) => firstIdAt(from)), slices.map(({ to }) => firstIdAt(to))];
  const rows = await db.query(counts, [lows, highs, ...values]);
  return rows.map(({ place, count, last }) => counted(slices[place - 1]!, count, last));
}

function counted({ from, to }: Slice, count: number, last: string | null): CountedSlice {
  if (count < countedMax || last === null) return { from, to, count, isEstimate: false };
  const tookMs = Math.max(1, timeOf(last) - from);
  const wholeMs = Math.max(tookMs, Math.min(to, Date.now()) - from);
  return { from, to, count: Math.round((count * wholeMs) / tookMs), isEstimate: true };
}

/** When an id was made, in ms since 1970: the first 48 bits of a UUID version 7. */
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
