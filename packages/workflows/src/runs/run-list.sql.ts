import { type Db, statement } from '@relata/db';
import { type Run, runColumns, type RunStatus, runTables } from './run.sql.ts';

const list = statement<Run>(
  'workflow_runs.list',
  `SELECT ${runColumns} ${runTables} WHERE r.org_id = $1 AND ($3::uuid IS NULL OR r.id < $3)
     AND ($4::uuid IS NULL OR r.workflow_id = $4) AND ($5::uuid IS NULL OR r.trigger_id = $5)
   ORDER BY r.id DESC LIMIT $2`,
);

const listOfStatus = statement<Run>(
  'workflow_runs.list_of_status',
  `SELECT ${runColumns} ${runTables} WHERE r.org_id = $1 AND ($3::uuid IS NULL OR r.id < $3)
     AND ($4::uuid IS NULL OR r.workflow_id = $4) AND ($5::uuid IS NULL OR r.trigger_id = $5) AND r.status = $6
   ORDER BY r.id DESC LIMIT $2`,
);

const listFailed = statement<Run>(
  'workflow_runs.list_failed',
  `SELECT ${runColumns} ${runTables} WHERE r.org_id = $1 AND ($3::uuid IS NULL OR r.id < $3)
     AND ($4::uuid IS NULL OR r.workflow_id = $4) AND ($5::uuid IS NULL OR r.trigger_id = $5) AND r.status = 'failed'
   ORDER BY r.id DESC LIMIT $2`,
);

export interface RunFilter {
  status?: RunStatus | undefined;
  workflowId?: string | undefined;
  triggerId?: string | undefined;
  limit: number;
  /** Only what is older than this id. */
  before?: string | undefined;
}

/** Runs, the newest first. */
export function listRuns(
  db: Db,
  orgId: string,
  { status, workflowId, triggerId, limit, before }: RunFilter,
): Promise<Run[]> {
  const values = [orgId, limit, before ?? null, workflowId ?? null, triggerId ?? null];
  if (status === undefined) return db.query(list, values);
  return status === 'failed' ? db.query(listFailed, values) : db.query(listOfStatus, [...values, status]);
}

/** The newest of each organization, and of those the newest: no index has all in one order. */
const ofAll = (condition: string) => `SELECT ${runColumns} FROM organizations o CROSS JOIN LATERAL (
     SELECT * FROM workflow_runs WHERE org_id = o.id AND ($2::uuid IS NULL OR id < $2) ${condition}
     ORDER BY id DESC LIMIT $1
   ) r
   JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
   JOIN webhook_triggers t ON t.org_id = r.org_id AND t.id = r.trigger_id
   ORDER BY r.id DESC LIMIT $1`;

const listOfAll = statement<Run>('workflow_runs.list_of_all', ofAll(''));
const listAllOfStatus = statement<Run>('workflow_runs.list_all_of_status', ofAll('AND status = $3'));
const listAllFailed = statement<Run>('workflow_runs.list_all_failed', ofAll("AND status = 'failed'"));

/** Runs of all organizations, the newest first, for an operator. */
export function listAllRuns(
  db: Db,
  { status, limit, before }: Omit<RunFilter, 'workflowId' | 'triggerId'>,
): Promise<Run[]> {
  const values = [limit, before ?? null];
  if (status === undefined) return db.query(listOfAll, values);
  return status === 'failed' ? db.query(listAllFailed, values) : db.query(listAllOfStatus, [...values, status]);
}
