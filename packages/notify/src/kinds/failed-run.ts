import { findWith, readWith } from '@relata/db';
import { explained, failedCode, failedStep, type StepError } from '@relata/workflows/runs';
import { addCauses, batchRows, channelsWith, isFull, type NoticeKind, span, total } from './notice-kind.ts';

/**
 * Maximum number of characters of the step's path, and of the error code, in a cause. Causes are indexed, so their size
 * must be limited. Real paths and codes are far shorter.
 */
const charsMax = 500;

/** Collects the notes of failed runs. Skips runs that were retried since, and problems that the team ignores. */
const collect = readWith<{ is_full: boolean }, [quietMs: number]>(
  'notices.collect_failed_runs',
  `WITH channels AS MATERIALIZED (
     ${channelsWith('failed_run_notes f WHERE f.org_id = c.org_id')}
   ), taken AS MATERIALIZED (
     SELECT f.org_id, f.run_id FROM channels c CROSS JOIN LATERAL (
       SELECT org_id, run_id FROM failed_run_notes f WHERE f.org_id = c.org_id
       ORDER BY run_id LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) f
   ), done AS (
     DELETE FROM failed_run_notes f USING taken t WHERE f.org_id = t.org_id AND f.run_id = t.run_id
   ), failed AS (
     SELECT r.org_id, r.id, r.workflow_id, left(${failedStep}, ${charsMax}) AS step, left(${failedCode}, ${charsMax}) AS code,
       coalesce(r.finished_at, now()) AS failed_at
     FROM taken t CROSS JOIN LATERAL (
       SELECT * FROM workflow_runs r WHERE r.org_id = t.org_id AND r.id = t.run_id AND r.status = 'failed' LIMIT 1
     ) r
   ), causes AS (
     SELECT f.org_id, json_build_array(f.workflow_id, f.step, f.code)::text AS cause,
       jsonb_build_object('', count(*)) AS counts, (array_agg(f.id ORDER BY f.failed_at DESC, f.id DESC))[1] AS example,
       min(f.failed_at) AS since, max(f.failed_at) AS last_at
     FROM failed f WHERE NOT EXISTS (
       SELECT FROM problem_states s WHERE s.org_id = f.org_id AND s.workflow_id = f.workflow_id AND s.step = f.step
         AND s.code = f.code AND s.state = 'ignored'
     ) GROUP BY f.org_id, f.workflow_id, f.step, f.code
   ), added AS (
     ${addCauses('failed_run')}
   )
   ${isFull}`,
);

interface Example {
  workflow: string;
  /** Null if the run has been retried or deleted since. */
  error: StepError | null;
}

const findExample = findWith<Example, [orgId: string, workflowId: string, runId: string | null]>(
  'notices.example_run',
  `SELECT w.name AS workflow, r.error FROM workflows w
   LEFT JOIN workflow_runs r ON r.org_id = w.org_id AND r.id = $3 AND r.status = 'failed'
   WHERE w.org_id = $1 AND w.id = $2`,
);

/** Runs that failed for good. The cause is the same as for a problem: workflow, step and code. */
export const failedRun: NoticeKind = {
  counted: 'failed runs',
  collect,
  async describe(db, orgId, notice) {
    const [workflowId, step, code] = notice.cause as [string, string, string];
    const found = await findExample(db, orgId, workflowId, notice.example);
    const runs = total(notice);
    const id = notice.example ?? '-';
    return {
      title: runs === 1 ? 'A run failed' : 'Runs failed',
      fields: [
        { label: 'Workflow', value: found?.workflow ?? workflowId },
        { label: 'Step', value: step },
        { label: 'Error', value: code },
        { label: 'Failed runs', value: `${runs}${span(notice)}` },
        { label: runs === 1 ? 'Run' : 'Latest run', value: id },
      ],
      note: found?.error ? { label: 'Message', text: explained(found.error) } : undefined,
      whole: `relata runs show ${id}`,
      page: notice.example === null ? undefined : `/runs/${id}`,
    };
  },
};
