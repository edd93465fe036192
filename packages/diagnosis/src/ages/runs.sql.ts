import { type Db, statement } from '@relata/db';

/** As many as it is worth to count. */
export const failedMax = 10_000;

const failed = statement<{ failed: number; newest: number | null }>(
  'diagnosis.failed_runs',
  `SELECT count(*) AS failed, CASE WHEN count(*) < ${failedMax} THEN extract(epoch FROM now() - max(finished_at))::float8 END AS newest
   FROM (SELECT finished_at FROM workflow_runs WHERE status = 'failed' LIMIT ${failedMax}) f`,
);

/** Runs that failed and were not retried, up to `failedMax`; `newest` is the age of the last of them in seconds, unless there are more. */
export async function countFailedRuns(db: Db) {
  const [row] = await db.query(failed, []);
  return row!;
}
