import { type Db, findWith, listWith, onlyRow, statement } from '@relata/db';

/** Source of each input of a workflow: the path of a field, or a constant. */
export type InputMapping = Record<string, string | { const: unknown }>;

export interface Assignment {
  org_id: string;
  trigger_id: string;
  trigger: string;
  workflow_id: string;
  workflow: string;
  inputs: InputMapping;
  filter: string | null;
  created_at: string;
  updated_at: string;
}

const columns = `a.org_id, a.trigger_id, t.name AS trigger, a.workflow_id, w.name AS workflow, a.inputs, a.filter,
  a.created_at, a.updated_at`;

const named = `JOIN workflows w ON w.org_id = a.org_id AND w.id = a.workflow_id
  JOIN webhook_triggers t ON t.org_id = a.org_id AND t.id = a.trigger_id`;

const assign = statement<Assignment>(
  'trigger_workflows.assign',
  `WITH a AS (
     INSERT INTO trigger_workflows (org_id, trigger_id, workflow_id, inputs, filter) VALUES ($1, $2, $3, $4::json, $5)
     ON CONFLICT (org_id, trigger_id, workflow_id)
       DO UPDATE SET inputs = excluded.inputs, filter = excluded.filter, updated_at = now()
     RETURNING *
   ) SELECT ${columns} FROM a ${named}`,
);

export interface NewAssignment {
  triggerId: string;
  workflowId: string;
  inputs: InputMapping;
  filter: string | undefined;
}

/** Assigns a workflow to a trigger, or replaces the assignment. Both must belong to the organization. */
export function upsertAssignment(db: Db, orgId: string, made: NewAssignment): Promise<Assignment> {
  const { triggerId, workflowId, inputs, filter } = made;
  const values = [orgId, triggerId, workflowId, JSON.stringify(inputs), filter ?? null];
  return onlyRow(db, assign, values);
}

/** Deletes an assignment; runs that it started continue. */
export const deleteAssignment = listWith<never, [orgId: string, triggerId: string, workflowId: string]>(
  'trigger_workflows.unassign',
  'DELETE FROM trigger_workflows WHERE org_id = $1 AND trigger_id = $2 AND workflow_id = $3',
);

export const findAssignment = findWith<Assignment, [orgId: string, triggerId: string, workflowId: string]>(
  'trigger_workflows.find',
  `SELECT ${columns} FROM trigger_workflows a ${named}
   WHERE a.org_id = $1 AND a.trigger_id = $2 AND a.workflow_id = $3`,
);

export const listAssignments = listWith<Assignment, [orgId: string, triggerId: string]>(
  'trigger_workflows.of_trigger',
  `SELECT ${columns} FROM trigger_workflows a ${named}
   WHERE a.org_id = $1 AND a.trigger_id = $2 ORDER BY w.name`,
);

/** Lists the assignments of a workflow, to find those that do not map all inputs of a new version. */
export const listAssignmentsOfWorkflow = listWith<Assignment, [orgId: string, workflowId: string]>(
  'trigger_workflows.of_workflow',
  `SELECT ${columns} FROM trigger_workflows a ${named}
   WHERE a.org_id = $1 AND a.workflow_id = $2 ORDER BY a.trigger_id`,
);
