import { type Db, firstIdAt, type Statement, statement } from '@relata/db';

/** A span of time, in ms since 1970; both ends are whole minutes. */
export interface Span {
  from: number;
  to: number;
}

export interface CountedSpan extends Span {
  /** Null if the span begins before counts were kept, and has too many such rows to count them now. */
  count: number | null;
}

export const minuteMs = 60_000;

/** Maximum rows of a span that are counted one by one because they were stored before counts were kept. */
const uncountedMax = 500;

type SpanStatement = Statement<{ kept: number; uncounted: number }>;

/** Sum of the minutes of an hour that a span covers. */
const partOfHour = `SELECT sum(n) FROM unnest(
     h.minutes[greatest(s.low - h.hour * 60, 0) + 1 : least(s.high - h.hour * 60, 60)]) n`;

/**
 * Builds a statement that sums kept counts and counts a bounded number of older rows. Minutes and hours are read in one
 * snapshot, so that counts folded meanwhile are included exactly once.
 */
const countsOf = (name: string, kind: { counted: string; started: string }, rows: { table: string; are: string }) =>
  statement<{ kept: number; uncounted: number }>(
    name,
    `WITH first AS MATERIALIZED (
       SELECT (left(hex, 8) || '-' || right(hex, 4) || '-7000-8000-000000000000')::uuid AS id FROM (
         SELECT lpad(to_hex(minute * ${minuteMs}), 12, '0') AS hex FROM trigger_count_starts WHERE kind = '${kind.started}'
       ) s
     )
     SELECT (SELECT coalesce(sum(m.n), 0) FROM trigger_minutes m
         WHERE m.org_id = $1 AND m.kind = '${kind.counted}' AND m.minute >= s.low AND m.minute < s.high
           AND ($6::uuid IS NULL OR m.trigger_id = $6))::bigint
       + (SELECT coalesce(sum(
            CASE WHEN h.hour * 60 >= s.low AND h.hour * 60 + 60 <= s.high THEN h.total ELSE (${partOfHour}) END), 0)
         FROM trigger_hours h
         WHERE h.org_id = $1 AND h.kind = '${kind.counted}' AND h.hour >= s.low / 60 AND h.hour <= (s.high - 1) / 60
           AND ($6::uuid IS NULL OR h.trigger_id = $6))::bigint AS kept,
       (SELECT count(*)::integer FROM (
          SELECT d.id FROM ${rows.table} d
          WHERE ${rows.are} AND d.id >= s.low_id AND d.id < least(s.high_id, (SELECT id FROM first))
          ORDER BY d.id LIMIT ${uncountedMax + 1}
        ) f) AS uncounted
     FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::uuid[]) WITH ORDINALITY
       AS s (low, high, low_id, high_id, place)
     ORDER BY s.place`,
  );

const deliveries = { counted: 'deliveries', started: 'deliveries' };
const ofOrganization = countsOf('trigger_counts.deliveries', deliveries, {
  table: 'webhook_deliveries',
  are: 'd.org_id = $1',
});
/** Looks up the trigger in the organization first, so that the index of deliveries by trigger suffices. */
const ofTrigger = countsOf('trigger_counts.deliveries_of_trigger', deliveries, {
  table: 'webhook_deliveries',
  are: 'd.trigger_id = (SELECT t.id FROM webhook_triggers t WHERE t.org_id = $1 AND t.id = $6)',
});
const allRuns = { table: 'workflow_runs', are: 'd.org_id = $1' };
const runs = countsOf('trigger_counts.runs', { counted: 'runs', started: 'runs' }, allRuns);
const failedRuns = countsOf(
  'trigger_counts.failed_runs',
  { counted: 'failed_runs', started: 'runs' },
  { ...allRuns, are: `d.org_id = $1 AND d.status = 'failed'` },
);

/** Counts the deliveries of each span, to all triggers or to one. */
export function countDeliveries(db: Db, orgId: string, spans: readonly Span[], triggerId?: string) {
  return triggerId ? count(db, ofTrigger, orgId, spans, triggerId) : count(db, ofOrganization, orgId, spans);
}

/** Counts the runs that were queued within each span. */
export function countRuns(db: Db, orgId: string, spans: readonly Span[]): Promise<CountedSpan[]> {
  return count(db, runs, orgId, spans);
}

/** Counts the runs queued within each span that failed and were not retried. */
export function countFailedRuns(db: Db, orgId: string, spans: readonly Span[]): Promise<CountedSpan[]> {
  return count(db, failedRuns, orgId, spans);
}

async function count(
  db: Db,
  counts: SpanStatement,
  orgId: string,
  spans: readonly Span[],
  triggerId?: string,
): Promise<CountedSpan[]> {
  if (spans.length === 0) return [];
  const [from, to] = [spans.map((span) => span.from), spans.map((span) => span.to)];
  const minutes = [from, to].map((ends) => ends.map((end) => Math.floor(end / minuteMs)));
  const rows = await db.query(counts, [orgId, ...minutes, from.map(firstIdAt), to.map(firstIdAt), triggerId ?? null]);
  return spans.map((span, at) => ({ ...span, count: wholeOf(rows[at]!) }));
}

const wholeOf = ({ kept, uncounted }: { kept: number; uncounted: number }) =>
  uncounted > uncountedMax ? null : kept + uncounted;
