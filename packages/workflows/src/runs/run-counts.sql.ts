import { readWith } from '@relata/db';
import { isBegun } from './due-runs.sql.ts';
import { isBegunOfLimited } from './limited-claim.sql.ts';
import { failedCode, failedStep } from './run-list.sql.ts';

const countedRunsMax = 1_000;

/** Numbers of runs that may need attention, up to `countedRunsMax` per state. */
export interface OpenRuns {
  failed: number;
  /** Number of open problems among the newest failed runs and refused starts. */
  causes: number;
  waiting: number;
}

/**
 * Counts the waiting runs among the started runs that are due last. Running runs are due earlier than most waiting
 * runs, because leases are short.
 */
const waitingOf = (begun: string, order: string) => `(SELECT count(*)::integer FROM (
     SELECT r.status FROM workflow_runs r WHERE r.org_id = $1 AND ${begun} ORDER BY ${order} LIMIT ${countedRunsMax}
   ) b WHERE b.status = 'waiting')`;

export const countOpenRuns = readWith<OpenRuns, [orgId: string]>(
  'workflow_runs.count_for_organization',
  `WITH failed AS MATERIALIZED (
     SELECT r.workflow_id, ${failedStep} AS step, ${failedCode} AS code, r.is_replayed,
       coalesce(r.finished_at, r.created_at) AS failed_at
     FROM workflow_runs r
     WHERE r.org_id = $1 AND r.status = 'failed' ORDER BY r.id DESC LIMIT ${countedRunsMax}
   ), kept AS MATERIALIZED (
     SELECT d.trigger_id, d.skipped, d.received_at FROM webhook_deliveries d
     WHERE d.org_id = $1 AND d.has_refused ORDER BY d.id DESC LIMIT ${countedRunsMax}
   ), caused AS (
     SELECT workflow_id, step, code, failed_at FROM failed WHERE NOT is_replayed
     UNION ALL
     SELECT (s.each ->> 'workflow_id')::uuid, k.trigger_id || '/' || (p.each ->> 'input'), p.each ->> 'code',
       k.received_at
     FROM kept k CROSS JOIN LATERAL json_array_elements(k.skipped) AS s (each)
       CROSS JOIN LATERAL json_array_elements(s.each -> 'problems') AS p (each)
     WHERE s.each ->> 'reason' = 'refused'
   )
   SELECT (SELECT count(*)::integer FROM failed) AS failed,
     (SELECT count(*)::integer FROM (
        SELECT DISTINCT f.workflow_id, f.step, f.code FROM caused f LEFT JOIN problem_states s
          ON s.org_id = $1 AND s.workflow_id = f.workflow_id AND s.step = f.step AND s.code = f.code
        WHERE s.state IS NULL OR (s.state = 'resolved' AND f.failed_at > s.failed_at)
      ) c) AS causes,
     least(${countedRunsMax}, ${waitingOf(isBegun, 'r.due_at DESC')}
       + ${waitingOf(isBegunOfLimited, 'r.workflow_id DESC, r.due_at DESC')}) AS waiting`,
);
