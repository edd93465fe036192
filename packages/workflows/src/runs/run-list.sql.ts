import { type Db, firstRow, listWith, statement } from '@relata/db';
import { boundedPage, idRange, type ListPage, scannedMax, type ListWindow } from '../list-window.ts';
import { isStepRetrying } from './retry.sql.ts';
import { type Run, runColumns, runStatuses, runTables } from './run.sql.ts';

/** Value for the step of an error without a step, and for the code of an error without a code. */
const none = '-';

/** Returns SQL for the path of a step in the definition, which has no indices of loops. */
export const stepOfPlace = (place: string) =>
  String.raw`coalesce(CASE WHEN strpos(${place}, '[') > 0 THEN regexp_replace(${place}, '\[\d+\]', '', 'g') ELSE ${place} END, '${none}')`;

export const failedStep = stepOfPlace("r.error ->> 'step'");

export const failedCode = `coalesce(r.error ->> 'code', '${none}')`;

const listOf = (condition: string) => `SELECT ${runColumns} ${runTables}
   WHERE r.org_id = $1 AND r.id >= $3 AND r.id < $4
     AND ($5::uuid IS NULL OR r.workflow_id = $5) AND ($6::uuid IS NULL OR r.trigger_id = $6) ${condition}
   ORDER BY r.id DESC LIMIT $2`;

const list = statement<Run>('workflow_runs.list', listOf(''));
const listOfStatus = statement<Run>('workflow_runs.list_of_status', listOf('AND r.status = $7'));
/** Condition that a run waits for the next attempt of a failed step, rather than for a time in its definition. */
const isRetrying = `r.status = 'waiting' AND EXISTS (SELECT FROM workflow_run_steps s
     WHERE s.org_id = r.org_id AND s.run_id = r.id AND ${isStepRetrying})`;

const listRetrying = statement<Run>('workflow_runs.list_retrying', listOf(`AND ${isRetrying}`));
const listFailed = statement<Run>(
  'workflow_runs.list_failed',
  listOf(`AND r.status = 'failed' AND ($7::text IS NULL OR ${failedStep} = $7)
     AND ($8::text IS NULL OR ${failedCode} = $8)`),
);

/** States to filter runs by; `retrying` selects the waiting runs that will try a step again. */
export const runFilterStatuses = [...runStatuses, 'retrying'] as const;

export type RunFilterStatus = (typeof runFilterStatuses)[number];

/** Conditions on runs. `step` and `code` apply only to the status `failed`. */
interface RunConditions {
  status?: RunFilterStatus | undefined;
  workflowId?: string | undefined;
  triggerId?: string | undefined;
  /** Path in the definition of the step that failed, or `-` for none. */
  step?: string | undefined;
  /** Code of the error, or `-` for none. */
  code?: string | undefined;
}

export type RunFilter = RunConditions & ListWindow;

/** Lists runs, newest first. */
export function listRuns(db: Db, orgId: string, filter: RunFilter): Promise<Run[]> {
  return listBetween(db, orgId, filter, idRange(filter), filter.limit);
}

function listBetween(
  db: Db,
  orgId: string,
  { status, workflowId, triggerId, step, code }: RunConditions,
  { low, high }: { low: string; high: string },
  limit: number,
): Promise<Run[]> {
  const values = [orgId, limit, low, high, workflowId ?? null, triggerId ?? null];
  if (status === undefined) return db.query(list, values);
  if (status === 'retrying') return db.query(listRetrying, values);
  if (status !== 'failed') return db.query(listOfStatus, [...values, status]);
  return db.query(listFailed, [...values, step ?? null, code ?? null]);
}

const floorOf = (condition: string) => `SELECT id FROM workflow_runs
   WHERE org_id = $1 AND id >= $2 AND id < $3 ${condition} ORDER BY id DESC LIMIT 1 OFFSET ${scannedMax - 1}`;

const floor = statement<{ id: string }>('workflow_runs.floor', floorOf(''));
const floorOfFailed = statement<{ id: string }>('workflow_runs.floor_of_failed', floorOf("AND status = 'failed'"));

/** Finds the oldest of the newest 10,000 runs, or failed runs, in this range of ids; undefined if there are fewer. */
export async function findFloor(
  db: Db,
  orgId: string,
  { low, high }: { low: string; high: string },
  status: RunFilterStatus | undefined,
): Promise<string | undefined> {
  return (await firstRow(db, status === 'failed' ? floorOfFailed : floor, [orgId, low, high]))?.id;
}

/** Returns a page of runs, newest first. Examines at most 10,000 runs, or failed runs if the status is `failed`. */
export function searchRuns(db: Db, orgId: string, filter: RunFilter): Promise<ListPage<Run>> {
  const { status, workflowId, triggerId, step, code } = filter;
  const isIndexed = [workflowId, triggerId, step, code, status === 'failed' ? undefined : status].every(
    (condition) => condition === undefined,
  );
  return boundedPage(
    filter,
    async (ids) => (isIndexed ? undefined : findFloor(db, orgId, ids, status)),
    (ids, limit) => listBetween(db, orgId, filter, ids, limit),
  );
}

/** Lists the current states of some runs. Ids of other organizations are left out. */
export const listRunStates = listWith<Pick<Run, 'id' | 'status'>, [orgId: string, ids: readonly string[]]>(
  'workflow_runs.states',
  'SELECT id, status FROM workflow_runs WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id DESC',
);

/**
 * Takes the newest runs of each organization, and then the newest runs among them. No index orders the runs of all
 * organizations.
 */
const ofAll = (condition: string) => `SELECT ${runColumns} FROM organizations o CROSS JOIN LATERAL (
     SELECT * FROM workflow_runs r WHERE r.org_id = o.id AND ($2::uuid IS NULL OR r.id < $2) ${condition}
     ORDER BY r.id DESC LIMIT $1
   ) r
   JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
   JOIN webhook_triggers t ON t.org_id = r.org_id AND t.id = r.trigger_id
   ORDER BY r.id DESC LIMIT $1`;

const listOfAll = statement<Run>('workflow_runs.list_of_all', ofAll(''));
const listAllOfStatus = statement<Run>('workflow_runs.list_all_of_status', ofAll('AND r.status = $3'));
const listAllFailed = statement<Run>('workflow_runs.list_all_failed', ofAll("AND r.status = 'failed'"));
const listAllRetrying = statement<Run>('workflow_runs.list_all_retrying', ofAll(`AND ${isRetrying}`));

/** Lists runs of all organizations, newest first, for an operator. */
export function listAllRuns(
  db: Db,
  { status, limit, before }: Pick<RunFilter, 'status' | 'limit' | 'before'>,
): Promise<Run[]> {
  const values = [limit, before ?? null];
  if (status === undefined) return db.query(listOfAll, values);
  if (status === 'retrying') return db.query(listAllRetrying, values);
  return status === 'failed' ? db.query(listAllFailed, values) : db.query(listAllOfStatus, [...values, status]);
}
