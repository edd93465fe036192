import { type Db, firstIdAt, statement } from '@relata/db';

/** A span of time, in ms since 1970; both ends are whole minutes. */
export interface Span {
  from: number;
  to: number;
}

export interface CountedSpan extends Span {
  /** Null if more than 500 rows of the span were stored before counts were kept. */
  count: number | null;
}

export const minuteMs = 60_000;

/** Maximum number of rows of a span that are counted one by one, because they were stored before counts were kept. */
const uncountedMax = 500;

/** SQL for the sum of an hour's counts per minute, for the minutes inside the span. */
const partOfHour = `SELECT sum(n) FROM unnest(
     h.minutes[greatest(s.low - h.hour * 60, 0) + 1 : least(s.high - h.hour * 60, 60)]) n`;

interface Counted {
  /** Kind under which the counts are stored. */
  counted: string;
  /** Kind in `trigger_count_starts` with the minute since which counts are kept. */
  started: string;
  table: string;
  /** SQL condition on rows `d` that were stored before counts were kept. */
  rows: string;
}

/**
 * Declares a function that sums kept counts and counts a bounded number of older rows. Minutes and hours are read in
 * one snapshot, so that counts folded meanwhile are included exactly once.
 */
function countWith(name: string, { counted, started, table, rows }: Counted) {
  const counts = statement<{ kept: number; uncounted: number }>(
    name,
    `WITH first AS MATERIALIZED (
       SELECT (left(hex, 8) || '-' || right(hex, 4) || '-7000-8000-000000000000')::uuid AS id FROM (
         SELECT lpad(to_hex(minute * ${minuteMs}), 12, '0') AS hex FROM trigger_count_starts WHERE kind = '${started}'
       ) s
     )
     SELECT (SELECT coalesce(sum(m.n), 0) FROM trigger_minutes m
         WHERE m.org_id = $1 AND m.kind = '${counted}' AND m.minute >= s.low AND m.minute < s.high
           AND ($6::uuid IS NULL OR m.trigger_id = $6))::bigint
       + (SELECT coalesce(sum(
            CASE WHEN h.hour * 60 >= s.low AND h.hour * 60 + 60 <= s.high THEN h.total ELSE (${partOfHour}) END), 0)
         FROM trigger_hours h
         WHERE h.org_id = $1 AND h.kind = '${counted}' AND h.hour >= s.low / 60 AND h.hour <= (s.high - 1) / 60
           AND ($6::uuid IS NULL OR h.trigger_id = $6))::bigint AS kept,
       (SELECT count(*)::integer FROM (
          SELECT d.id FROM ${table} d
          WHERE ${rows} AND d.id >= s.low_id AND d.id < least(s.high_id, (SELECT id FROM first))
          ORDER BY d.id LIMIT ${uncountedMax + 1}
        ) f) AS uncounted
     FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::uuid[]) WITH ORDINALITY
       AS s (low, high, low_id, high_id, place)
     ORDER BY s.place`,
  );
  return async (db: Db, orgId: string, spans: readonly Span[], triggerId?: string): Promise<CountedSpan[]> => {
    if (spans.length === 0) return [];
    const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)];
    const minutes = [from, to].map((ends) => ends.map((end) => Math.floor(end / minuteMs)));
    const bounds = [...minutes, from.map(firstIdAt), to.map(firstIdAt)];
    const found = await db.query(counts, [orgId, ...bounds, triggerId ?? null]);
    return spans.map((span, at) => {
      const { kept, uncounted } = found[at]!;
      return { ...span, count: uncounted > uncountedMax ? null : kept + uncounted };
    });
  };
}

const deliveries = { counted: 'deliveries', started: 'deliveries', table: 'webhook_deliveries' };
const countOfOrganization = countWith('trigger_counts.deliveries', { ...deliveries, rows: 'd.org_id = $1' });
/** Checks the organization of the trigger in a subquery, so that the index of deliveries by trigger suffices. */
const countOfTrigger = countWith('trigger_counts.deliveries_of_trigger', {
  ...deliveries,
  rows: 'd.trigger_id = (SELECT t.id FROM webhook_triggers t WHERE t.org_id = $1 AND t.id = $6)',
});

/** Counts the deliveries of each span, to all triggers or to one. */
export function countDeliveries(db: Db, orgId: string, spans: readonly Span[], triggerId?: string) {
  return triggerId ? countOfTrigger(db, orgId, spans, triggerId) : countOfOrganization(db, orgId, spans);
}

type CountOfOrganization = (db: Db, orgId: string, spans: readonly Span[]) => Promise<CountedSpan[]>;

const runs = { counted: 'runs', started: 'runs', table: 'workflow_runs', rows: 'd.org_id = $1' };

/** Counts the runs that were queued within each span. */
export const countRuns: CountOfOrganization = countWith('trigger_counts.runs', runs);

/** Counts the runs queued within each span that failed and were not retried. */
export const countFailedRuns: CountOfOrganization = countWith('trigger_counts.failed_runs', {
  ...runs,
  counted: 'failed_runs',
  rows: `d.org_id = $1 AND d.status = 'failed'`,
});
