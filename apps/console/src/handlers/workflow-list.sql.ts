import { type Db, firstIdAt, statement } from '@relata/db';
import type { ListedWorkflow } from '@relata/schemas/console';

type Row = Omit<ListedWorkflow, 'runs' | 'failed_runs'>;

const triggersOf = `coalesce((SELECT json_agg(json_build_object('id', t.id, 'name', t.name, 'active', t.is_active)
       ORDER BY t.name, t.id)
     FROM trigger_workflows a JOIN webhook_triggers t ON t.org_id = a.org_id AND t.id = a.trigger_id
     WHERE a.org_id = w.org_id AND a.workflow_id = w.id), '[]') AS triggers`;

const list = statement<Row>(
  'console.workflows',
  `SELECT w.id, w.name, w.version, v.applied_by, w.updated_at, ${triggersOf}
   FROM workflows w
   JOIN workflow_versions v ON v.org_id = w.org_id AND v.workflow_id = w.id AND v.version = w.version
   WHERE w.org_id = $1 ORDER BY w.name LIMIT 1000`,
);

const triggers = statement<Pick<Row, 'triggers'>>(
  'console.triggers_of_workflow',
  `SELECT ${triggersOf} FROM workflows w WHERE w.org_id = $1 AND w.id = $2`,
);

export async function findStarters(db: Db, orgId: string, workflowId: string): Promise<Row['triggers']> {
  const [found] = await db.query(triggers, [orgId, workflowId]);
  return found?.triggers ?? [];
}

const runsMax = 10_000;
const dayMs = 86_400_000;

/** Counts only the newest runs, selected by id, so that the list never waits for a count of a million runs. */
const countRuns = statement<{
  workflow_id: string;
  runs: number;
  failed_runs: number;
  all_runs: number;
  since: string;
}>(
  'console.count_runs',
  `WITH newest AS MATERIALIZED (
     SELECT workflow_id, status, created_at FROM workflow_runs WHERE org_id = $1 AND id > $2 ORDER BY id DESC LIMIT $3
   )
   SELECT workflow_id, count(*)::integer AS runs, (count(*) FILTER (WHERE status = 'failed'))::integer AS failed_runs,
     (SELECT count(*)::integer FROM newest) AS all_runs, (SELECT min(created_at) FROM newest) AS since
   FROM newest GROUP BY workflow_id`,
);

/** Returns the first 1,000 workflows by name. Counts the runs of the last 24 hours, at most the newest 10,000. */
export async function listShownWorkflows(
  db: Db,
  orgId: string,
): Promise<{ data: ListedWorkflow[]; runs_since: string }> {
  const dayAgo = Date.now() - dayMs;
  const [rows, counted] = await Promise.all([
    db.query(list, [orgId]),
    db.query(countRuns, [orgId, firstIdAt(dayAgo), runsMax]),
  ]);
  const counts = new Map(counted.map((count) => [count.workflow_id, count]));
  const isCut = counted[0]?.all_runs === runsMax;
  return {
    data: rows.map((row) => ({
      ...row,
      runs: counts.get(row.id)?.runs ?? 0,
      failed_runs: counts.get(row.id)?.failed_runs ?? 0,
    })),
    runs_since: isCut ? counted[0]!.since : new Date(dayAgo).toISOString(),
  };
}
