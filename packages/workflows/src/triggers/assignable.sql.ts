import { listWith } from '@relata/db';

export interface AssignableWorkflow {
  id: string;
  name: string;
  version: number;
}

const workflowsMax = 1_000;

/** Lists the first 1,000 workflows by name. */
export const listAssignableWorkflows = listWith<AssignableWorkflow, [orgId: string]>(
  'workflows.assignable',
  `SELECT id, name, version FROM workflows WHERE org_id = $1 ORDER BY name LIMIT ${workflowsMax}`,
);
