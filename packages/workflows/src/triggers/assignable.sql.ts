import { type Db, statement } from '@relata/db';

/** A workflow that triggers can start. */
export interface AssignableWorkflow {
  id: string;
  name: string;
  version: number;
}

const workflowsMax = 1_000;

const list = statement<AssignableWorkflow>(
  'workflows.assignable',
  `SELECT id, name, version FROM workflows WHERE org_id = $1 ORDER BY name LIMIT ${workflowsMax}`,
);

/** Lists the first 1,000 workflows by name. */
export function listAssignableWorkflows(db: Db, orgId: string): Promise<AssignableWorkflow[]> {
  return db.query(list, [orgId]);
}
