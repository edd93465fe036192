import { readWith } from '@relata/db';

export const failedMax = 10_000;

/** Number of failed runs that are examined per organization, newest first; `listProblems` examines as many. */
const examinedMax = 10_000;

/**
 * Counts runs that failed and were neither retried nor replayed, without runs of the demo, up to `failedMax`. `newest`
 * is the age of the last failure in seconds; null if there are no failed runs, or at least `failedMax`.
 */
export const countFailedRuns = readWith<{ failed: number; newest: number | null }>(
  'diagnosis.failed_runs',
  `SELECT count(*) AS failed, CASE WHEN count(*) < ${failedMax} THEN extract(epoch FROM now() - max(finished_at))::float8 END AS newest
   FROM (
     SELECT r.finished_at FROM organizations o CROSS JOIN LATERAL (
       SELECT * FROM workflow_runs r WHERE r.org_id = o.id AND r.status = 'failed' ORDER BY r.id DESC LIMIT ${examinedMax}
     ) r WHERE NOT r.is_replayed AND NOT EXISTS (
       SELECT FROM demo_data m WHERE m.org_id = r.org_id AND m.kind = 'delivery' AND m.id = r.delivery_id
     ) LIMIT ${failedMax}
   ) f`,
);
