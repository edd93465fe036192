import { type Db, statement } from '@relata/db';
import { isBegun } from './due-runs.sql.ts';
import { isBegunOfLimited } from './limited-claim.sql.ts';
import { failedCode, failedStep } from './run-list.sql.ts';

/** As many runs of a state as are counted. */
const countedRunsMax = 1_000;

/** Runs that somebody may have to look after, up to `countedRunsMax` of each state. */
export interface OpenRuns {
  failed: number;
  /** Of how many causes the newest of those failed: of a workflow, at a step, with a code. */
  causes: number;
  waiting: number;
}

/** Those that wait longest stand at the end of their indices, behind what runs now. */
const waitingOf = (begun: string, order: string) => `(SELECT count(*)::integer FROM (
     SELECT r.status FROM workflow_runs r WHERE r.org_id = $1 AND ${begun} ORDER BY ${order} LIMIT ${countedRunsMax}
   ) b WHERE b.status = 'waiting')`;

const count = statement<OpenRuns>(
  'workflow_runs.count_open',
  `WITH failed AS MATERIALIZED (
     SELECT r.workflow_id, ${failedStep} AS step, ${failedCode} AS code FROM workflow_runs r
     WHERE r.org_id = $1 AND r.status = 'failed' ORDER BY r.id DESC LIMIT ${countedRunsMax}
   )
   SELECT (SELECT count(*)::integer FROM failed) AS failed,
     (SELECT count(*)::integer FROM (SELECT DISTINCT workflow_id, step, code FROM failed) c) AS causes,
     least(${countedRunsMax}, ${waitingOf(isBegun, 'r.due_at DESC')}
       + ${waitingOf(isBegunOfLimited, 'r.workflow_id DESC, r.due_at DESC')}) AS waiting`,
);

export async function countOpenRuns(db: Db, orgId: string): Promise<OpenRuns> {
  const [row] = await db.query(count, [orgId]);
  return row!;
}
