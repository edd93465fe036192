import { type Db, newId, statement } from '@relata/db';

/** A workflow as it is listed; `version` is the newest, which new runs take. */
export interface Workflow {
  id: string;
  org_id: string;
  name: string;
  version: number;
  max_running: number | null;
  created_at: string;
  updated_at: string;
}

const columns = 'w.id, w.org_id, w.name, w.version, w.max_running, w.created_at, w.updated_at';

/** Takes the lock that those who apply the same name wait for. */
const claimName = statement<Workflow>(
  'workflows.claim_name',
  `INSERT INTO workflows AS w (org_id, id, name, version) VALUES ($1, $2, $3, 0)
   ON CONFLICT (org_id, name) DO UPDATE SET name = excluded.name RETURNING ${columns}`,
);

const insertVersion = statement<never>(
  'workflow_versions.insert',
  'INSERT INTO workflow_versions (org_id, workflow_id, version, definition) VALUES ($1, $2, $3, $4::json)',
);

const advance = statement<Workflow>(
  'workflows.advance',
  `UPDATE workflows w SET version = $3, max_running = $4, updated_at = now() WHERE org_id = $1 AND id = $2
   RETURNING ${columns}`,
);

export interface AppliedWorkflow extends Workflow {
  action: 'created' | 'updated' | 'unchanged';
}

export interface StoredDefinition {
  applied: AppliedWorkflow;
  /** The workflow as it was; undefined for a new one. */
  before: Workflow | undefined;
}

interface AppliedDefinition {
  name: string;
  max_running?: number | undefined;
}

/**
 * Makes a definition the newest version of the workflow of its name. One that changes nothing makes no version. Call it
 * in a transaction.
 */
export async function storeDefinition(db: Db, orgId: string, definition: AppliedDefinition): Promise<StoredDefinition> {
  const text = JSON.stringify(definition);
  const [claimed] = await db.query(claimName, [orgId, newId(), definition.name]);
  const { id, version } = claimed!;
  const before = version === 0 ? undefined : claimed;
  const latest = before && (await findDefinition(db, orgId, id, version));
  if (JSON.stringify(latest) === text) return { applied: { ...claimed!, action: 'unchanged' }, before };
  await db.query(insertVersion, [orgId, id, version + 1, text]);
  const [applied] = await db.query(advance, [orgId, id, version + 1, definition.max_running ?? null]);
  return { applied: { ...applied!, action: before ? 'updated' : 'created' }, before };
}

const selectDefinition = statement<{ definition: unknown }>(
  'workflow_versions.find',
  'SELECT definition FROM workflow_versions WHERE org_id = $1 AND workflow_id = $2 AND version = $3',
);

/** The definition of a version as it was applied. */
export async function findDefinition(db: Db, orgId: string, workflowId: string, version: number): Promise<unknown> {
  const [row] = await db.query(selectDefinition, [orgId, workflowId, version]);
  return row?.definition;
}

const listOfVersions = statement<{ version: number; created_at: string }>(
  'workflow_versions.list',
  'SELECT version, created_at FROM workflow_versions WHERE org_id = $1 AND workflow_id = $2 ORDER BY version DESC LIMIT $3',
);

/** The newest versions of a workflow, the newest first. */
export function listVersions(db: Db, orgId: string, workflowId: string, limit: number) {
  return db.query(listOfVersions, [orgId, workflowId, limit]);
}

const list = statement<Workflow>(
  'workflows.list',
  `SELECT ${columns} FROM workflows w WHERE org_id = $1 ORDER BY name`,
);

export function listWorkflows(db: Db, orgId: string): Promise<Workflow[]> {
  return db.query(list, [orgId]);
}

const find = statement<Workflow>('workflows.find', `SELECT ${columns} FROM workflows w WHERE org_id = $1 AND id = $2`);

export async function findWorkflow(db: Db, orgId: string, id: string): Promise<Workflow | undefined> {
  const [row] = await db.query(find, [orgId, id]);
  return row;
}

const findById = statement<Workflow>('workflows.find_by_id', `SELECT ${columns} FROM workflows w WHERE id::text = $1`);
const findNamed = statement<Workflow>('workflows.find_named', `SELECT ${columns} FROM workflows w WHERE name = $1`);

/** For an operator, who may name a workflow of any organization by its id, or by its name where only one has it. */
export async function findWorkflowsNamed(db: Db, nameOrId: string): Promise<Workflow[]> {
  const byId = await db.query(findById, [nameOrId.toLowerCase()]);
  return byId.length > 0 ? byId : db.query(findNamed, [nameOrId]);
}
