import { type Db, statement } from '@relata/db';
import { idsOf, scannedMax } from '../list-window.ts';
import { failedCode, findFloor, stepOfPlace } from './run-list.sql.ts';

/** Failed runs of one cause: of a workflow, at a step, with a code. */
export interface Problem {
  workflow_id: string;
  workflow: string;
  /** By its place in the definition, without the indices of loops; `-` where the run failed by none. */
  step: string;
  /** Of the error; `-` where it has none. */
  code: string;
  runs: number;
  first_failed_at: string;
  last_failed_at: string;
  /** Of the run that failed last. */
  message: string;
  /** The newest of them, three at most. */
  examples: string[];
}

export interface Problems {
  problems: Problem[];
  /** How many failed runs were looked at. */
  looked_at: number;
  /** When the oldest of those was made, where there may be older ones that were not looked at. */
  looked_back_to: string | null;
  /** Whether there are more than are listed. */
  has_more: boolean;
}

const problemsMax = 100;
const examplesMax = 3;

/**
 * By code and not by message: messages hold values, and would make a problem of each run. `r` is read newest first by the
 * index of failed runs, from an id on of which the caller knows that there are not too many behind it.
 */
const group = statement<Problem & { looked_at: number; oldest_at: string }>(
  'workflow_runs.problems',
  `WITH failed AS MATERIALIZED (
     SELECT r.id, r.workflow_id, r.error ->> 'step' AS place, ${failedCode} AS code, r.created_at,
       coalesce(r.finished_at, r.created_at) AS failed_at
     FROM workflow_runs r WHERE r.org_id = $1 AND r.status = 'failed' AND r.id >= $2
     ORDER BY r.id DESC LIMIT ${scannedMax}
   ), grouped AS (
     SELECT workflow_id, ${stepOfPlace('place')} AS step, code, count(*)::integer AS runs, min(failed_at) AS first_failed_at,
       max(failed_at) AS last_failed_at, (array_agg(id ORDER BY failed_at DESC, id DESC))[1] AS last,
       (array_agg(id ORDER BY id DESC))[1:${examplesMax}] AS examples
     FROM failed GROUP BY 1, 2, 3 ORDER BY 4 DESC, 6 DESC LIMIT ${problemsMax + 1}
   )
   SELECT g.workflow_id, w.name AS workflow, g.step, g.code, g.runs, g.first_failed_at, g.last_failed_at,
     coalesce(l.error ->> 'message', '') AS message, g.examples,
     (SELECT count(*)::integer FROM failed) AS looked_at, (SELECT min(created_at) FROM failed) AS oldest_at
   FROM grouped g JOIN workflows w ON w.org_id = $1 AND w.id = g.workflow_id
   JOIN workflow_runs l ON l.org_id = $1 AND l.id = g.last
   ORDER BY g.runs DESC, g.last_failed_at DESC`,
);

/** What the newest 10,000 failed runs failed of, the most frequent first, a hundred problems at most. */
export async function listProblems(db: Db, orgId: string): Promise<Problems> {
  const ids = idsOf({});
  const floor = await findFloor(db, orgId, ids, 'failed');
  const found = await db.query(group, [orgId, floor ?? ids.low]);
  return {
    problems: found.slice(0, problemsMax).map(({ looked_at: _looked, oldest_at: _oldest, ...problem }) => problem),
    looked_at: found[0]?.looked_at ?? 0,
    looked_back_to: floor === undefined ? null : (found[0]?.oldest_at ?? null),
    has_more: found.length > problemsMax,
  };
}
