import { batchRows, inBatches, statement } from '@relata/db';

/** Age, in minutes, from which counts are folded. Younger counts still change often, as runs fail or are retried. */
const foldedAfterMinutes = 120;

/** Locks rows in a fixed order. Skips slots that a writer has locked; the next fold includes them. */
const fold = statement<{ rows: number }>(
  'trigger_counts.fold',
  `WITH old AS MATERIALIZED (
     SELECT kind, minute, trigger_id, slot FROM trigger_minutes
     WHERE org_id = $1 AND kind = ANY ('{deliveries,runs,failed_runs}') AND minute < $2
     ORDER BY kind, minute LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM trigger_minutes m USING old o
     WHERE m.org_id = $1 AND m.kind = o.kind AND m.minute = o.minute AND m.trigger_id = o.trigger_id AND m.slot = o.slot
     RETURNING m.kind, m.minute, m.trigger_id, m.n
   ), per_minute AS (
     SELECT k.kind, k.hour, k.trigger_id, p.place, coalesce(sum(g.n), 0)::integer AS n
     FROM (SELECT DISTINCT kind, minute / 60 AS hour, trigger_id FROM gone) k
     CROSS JOIN generate_series(0, 59) AS p (place)
     LEFT JOIN gone g ON g.kind = k.kind AND g.trigger_id = k.trigger_id AND g.minute = k.hour * 60 + p.place
     GROUP BY 1, 2, 3, 4
   ), folded AS (
     INSERT INTO trigger_hours AS h (org_id, kind, hour, trigger_id, total, minutes)
     SELECT $1, kind, hour, trigger_id, sum(n), array_agg(n ORDER BY place) FROM per_minute
     GROUP BY kind, hour, trigger_id ORDER BY kind, hour, trigger_id
     ON CONFLICT (org_id, kind, hour, trigger_id) DO UPDATE SET
       total = h.total + excluded.total,
       minutes = ARRAY(
         SELECT u.was + u.more FROM unnest(h.minutes, excluded.minutes) WITH ORDINALITY AS u (was, more, place)
         ORDER BY u.place)
   )
   SELECT count(*)::integer AS rows FROM gone`,
);

/** Deletes hours whose counts are all 0, for example after retention has dropped their rows. */
const dropEmpty = statement<never>(
  'trigger_counts.drop_empty',
  'DELETE FROM trigger_hours WHERE org_id = $1 AND total = 0 AND 0 = ALL (minutes)',
);

/**
 * Folds the slots of minutes older than two hours into one row per kind, hour and trigger, in small transactions.
 * Returns how many slots were folded. Safe to run in two processes at once.
 */
export const foldCounts = inBatches({
  batch: fold,
  valuesOf: () => [Math.floor(Date.now() / 60_000) - foldedAfterMinutes],
  last: dropEmpty,
});
