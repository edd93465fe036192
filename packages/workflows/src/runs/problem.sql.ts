import { type Db, statement } from '@relata/db';
import type { StoredActor } from '@relata/events';
import { idRange, scannedMax } from '../list-window.ts';
import { explained } from '../verdicts/step-fault.ts';
import { failedCode, findFloor, stepOfPlace } from './run-list.sql.ts';
import type { StepError } from './run.sql.ts';

export const problemStateNames = ['open', 'resolved', 'ignored'] as const;

export type ProblemState = (typeof problemStateNames)[number];

/** Identity of a problem: the cause of failed runs, or of starts that a trigger refused. */
export interface Cause {
  workflowId: string;
  /**
   * Path of the step in the definition, without the indices of loops; `-` if the run failed at no step. For refused
   * starts it is `TRIGGER_ID/INPUT`.
   */
  step: string;
  /** Code of the error; `-` if it has none. */
  code: string;
}

/** Failed runs or refused starts that have the same cause, except those that were replayed since. */
export interface Problem {
  workflow_id: string;
  workflow: string;
  /** The newest version of the workflow. */
  version: number;
  step: string;
  code: string;
  /** The trigger and input of refused starts; null for failed runs. */
  refused: { trigger_id: string; trigger: string; input: string } | null;
  /** Number of failed runs, or of deliveries whose start was refused. */
  runs: number;
  first_failed_at: string;
  last_failed_at: string;
  /** Message of the latest failure. */
  message: string;
  /** Ids of the newest runs, or of the newest deliveries with a refused start; three at most. */
  examples: string[];
  state: ProblemState;
  /**
   * The last time somebody resolved or ignored the problem; null if nobody did. A resolved problem may be open again.
   */
  put_aside: PutAside | null;
}

interface PutAside {
  state: 'resolved' | 'ignored';
  at: string;
  by: StoredActor;
  /** The newest version of the workflow at that time. */
  version: number;
  /** Number of failures since that time. */
  runs_since: number;
}

export interface Problems {
  problems: Problem[];
  counts: Record<ProblemState, number>;
  /** Number of failed runs, and of deliveries with refused starts, that were examined. */
  looked_at: number;
  /** Time back to which all failures were examined; null if there are no older ones. */
  looked_back_to: string | null;
  has_more: boolean;
}

const problemsMax = 100;
const examplesMax = 3;

interface Row extends Omit<Problem, 'message'> {
  error: StepError | null;
  refusal: string | null;
  listed: boolean;
  counts: Problems['counts'];
  looked_at: number;
  oldest_at: string | null;
  is_kept_cut: boolean;
}

/**
 * Groups by code rather than message, because messages contain values, and each run would become a problem of its own.
 * Reads failed runs by their index, newest first, down to an id that bounds their number. Always returns a row, for the
 * counts.
 */
const group = statement<Row>(
  'workflow_runs.problems',
  `WITH failed AS MATERIALIZED (
     SELECT r.id, r.workflow_id, r.error ->> 'step' AS place, ${failedCode} AS code, r.created_at,
       coalesce(r.finished_at, r.created_at) AS failed_at
     FROM workflow_runs r WHERE r.org_id = $1 AND r.status = 'failed' AND r.id >= $2 AND NOT r.is_replayed
     ORDER BY r.id DESC LIMIT ${scannedMax}
   ), kept AS MATERIALIZED (
     SELECT d.id, d.trigger_id, d.skipped, d.received_at FROM webhook_deliveries d
     WHERE d.org_id = $1 AND d.has_refused ORDER BY d.id DESC LIMIT ${scannedMax}
   ), placed AS (
     SELECT id, workflow_id, ${stepOfPlace('place')} AS step, code, failed_at, NULL::text AS refusal FROM failed
     UNION ALL
     SELECT k.id, (s.each ->> 'workflow_id')::uuid, k.trigger_id || '/' || (p.each ->> 'input'), p.each ->> 'code',
       k.received_at, p.each ->> 'message'
     FROM kept k CROSS JOIN LATERAL json_array_elements(k.skipped) AS s (each)
       CROSS JOIN LATERAL json_array_elements(s.each -> 'problems') AS p (each)
     WHERE s.each ->> 'reason' = 'refused'
   ), grouped AS (
     SELECT f.workflow_id, f.step, f.code, count(*)::integer AS runs, min(f.failed_at) AS first_failed_at,
       max(f.failed_at) AS last_failed_at, (array_agg(f.id ORDER BY f.failed_at DESC, f.id DESC))[1] AS last,
       (array_agg(f.refusal ORDER BY f.failed_at DESC, f.id DESC))[1] AS refusal,
       (array_agg(f.id ORDER BY f.id DESC))[1:${examplesMax}] AS examples,
       (count(*) FILTER (WHERE f.failed_at > s.failed_at) + greatest(0,
         count(*) FILTER (WHERE f.failed_at <= s.failed_at) - min(s.runs)))::integer AS runs_since
     FROM placed f LEFT JOIN problem_states s
       ON s.org_id = $1 AND s.workflow_id = f.workflow_id AND s.step = f.step AND s.code = f.code
     WHERE $4::uuid IS NULL OR (f.workflow_id = $4 AND f.step = $5 AND f.code = $6)
     GROUP BY 1, 2, 3
   ), judged AS (
     SELECT g.*, s.state AS aside, s.changed_at, s.changed_by, s.version AS aside_version,
       CASE WHEN s.state = 'ignored' THEN 'ignored' WHEN s.state = 'resolved' AND g.runs_since = 0 THEN 'resolved'
         ELSE 'open' END AS state
     FROM grouped g LEFT JOIN problem_states s
       ON s.org_id = $1 AND s.workflow_id = g.workflow_id AND s.step = g.step AND s.code = g.code
   ), listed AS (
     SELECT * FROM judged WHERE $3::text IS NULL OR state = $3
     ORDER BY runs DESC, last_failed_at DESC LIMIT ${problemsMax + 1}
   )
   SELECT l.workflow_id IS NOT NULL AS listed, l.workflow_id, w.name AS workflow, w.version, l.step, l.code, l.runs,
     l.first_failed_at, l.last_failed_at, r.error, l.refusal, l.examples, l.state,
     CASE WHEN l.refusal IS NOT NULL THEN json_build_object('trigger_id', t.id, 'trigger', t.name,
       'input', split_part(l.step, '/', 2)) END AS refused,
     CASE WHEN l.aside IS NOT NULL THEN json_build_object('state', l.aside, 'at', l.changed_at, 'by', l.changed_by,
       'version', l.aside_version, 'runs_since', l.runs_since) END AS put_aside,
     c.counts, (SELECT count(*) FROM failed)::integer + (SELECT count(*) FROM kept)::integer AS looked_at, greatest((SELECT min(created_at) FROM failed),
       (SELECT min(received_at) FROM kept HAVING count(*) = ${scannedMax})) AS oldest_at,
     (SELECT count(*) = ${scannedMax} FROM kept) AS is_kept_cut
   FROM (SELECT json_build_object('open', count(*) FILTER (WHERE state = 'open'),
       'resolved', count(*) FILTER (WHERE state = 'resolved'), 'ignored', count(*) FILTER (WHERE state = 'ignored'))
       AS counts FROM judged) c
   LEFT JOIN (listed l JOIN workflows w ON w.org_id = $1 AND w.id = l.workflow_id
     LEFT JOIN workflow_runs r ON r.org_id = $1 AND r.id = l.last AND l.refusal IS NULL
     LEFT JOIN webhook_triggers t ON t.org_id = $1
       AND t.id = CASE WHEN l.refusal IS NOT NULL THEN split_part(l.step, '/', 1)::uuid END) ON true
   ORDER BY l.runs DESC, l.last_failed_at DESC`,
);

async function read(db: Db, orgId: string, state: ProblemState | undefined, cause: Cause | undefined) {
  const ids = idRange({});
  const floor = await findFloor(db, orgId, ids, 'failed');
  const values = [state ?? null, cause?.workflowId ?? null, cause?.step ?? null, cause?.code ?? null];
  return { floor, rows: await db.query(group, [orgId, floor ?? ids.low, ...values]) };
}

/**
 * Groups the newest 10,000 failed runs, and the newest 10,000 deliveries with refused starts, by cause. Returns at most
 * 100 problems, the most frequent first.
 */
export async function listProblems(db: Db, orgId: string, state?: ProblemState): Promise<Problems> {
  const { floor, rows } = await read(db, orgId, state, undefined);
  const [{ counts, looked_at: lookedAt, oldest_at: oldestAt, is_kept_cut: isKeptCut }] = rows as [Row];
  const found = rows.filter(({ listed }) => listed);
  return {
    problems: found.slice(0, problemsMax).map(problemOf),
    counts,
    looked_at: lookedAt,
    looked_back_to: floor === undefined && !isKeptCut ? null : oldestAt,
    has_more: found.length > problemsMax,
  };
}

/** Finds the problem of a cause among the failures that `listProblems` examines. */
export async function findProblem(db: Db, orgId: string, cause: Cause): Promise<Problem | undefined> {
  const [row] = (await read(db, orgId, undefined, cause)).rows;
  return row?.listed ? problemOf(row) : undefined;
}

function problemOf(row: Row): Problem {
  const {
    listed: _listed,
    counts: _counts,
    looked_at: _looked,
    oldest_at: _oldest,
    is_kept_cut: _isCut,
    put_aside: aside,
    error,
    refusal,
    ...problem
  } = row;
  const message = refusal ?? (error === null ? '' : explained(error));
  return { ...problem, message, put_aside: aside && { ...aside, at: new Date(aside.at).toISOString() } };
}
