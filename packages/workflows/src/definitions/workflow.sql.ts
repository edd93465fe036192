import { type Db, findValueWith, findWith, listWith, newId, statement } from '@relata/db';
import type { StoredActor } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import type { Definition } from './definition.ts';

/** A workflow in a list. `version` is the newest version, which new runs use. */
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

/** Creates or locks the workflow with a name. Concurrent requests that apply the same name wait. */
const claimName = statement<Workflow>(
  'workflows.claim_name',
  `INSERT INTO workflows AS w (org_id, id, name, version) VALUES ($1, $2, $3, 0)
   ON CONFLICT (org_id, name) DO UPDATE SET name = excluded.name RETURNING ${columns}`,
);

const insertVersion = statement<never>(
  'workflow_versions.insert',
  `INSERT INTO workflow_versions (org_id, workflow_id, version, definition, applied_by, note)
   VALUES ($1, $2, $3, $4::json, $5::json, $6)`,
);

const advance = statement<Workflow>(
  'workflows.advance',
  `UPDATE workflows w SET version = $3, max_running = $4, updated_at = now() WHERE org_id = $1 AND id = $2
   RETURNING ${columns}`,
);

export interface AppliedWorkflow extends Workflow {
  action: 'created' | 'updated' | 'unchanged';
}

export interface VersionOptions {
  /** Version that must be the newest, or 0 if the name must be unused; undefined to accept any. */
  base?: number | undefined;
  /** Author, as JSON of a `StoredActor`. */
  author?: string | undefined;
  /** Reason, shown in the version history. */
  note?: string | undefined;
}

export interface StoredDefinition {
  applied: AppliedWorkflow;
  /** The workflow before the change; undefined if it is new. */
  before: Workflow | undefined;
}

/**
 * Stores a definition as the newest version of the workflow with its name. An unchanged definition creates no version,
 * whatever its base. Throws `conflict` if the base is not the newest version. Call it in a transaction.
 */
export async function storeDefinition(
  db: Db,
  orgId: string,
  definition: Pick<Definition, 'name' | 'max_running'>,
  { base, author, note }: VersionOptions = {},
): Promise<StoredDefinition> {
  const text = JSON.stringify(definition);
  const [claimed] = await db.query(claimName, [orgId, newId(), definition.name]);
  const { id, version } = claimed!;
  const before = version === 0 ? undefined : claimed;
  const latest = before && (await findDefinition(db, orgId, id, version));
  if (JSON.stringify(latest) === text) return { applied: { ...claimed!, action: 'unchanged' }, before };
  if (base !== undefined && base !== version) {
    const message = `${staleness(definition.name, base, version)} Nothing was published.`;
    throw new AppError('conflict', message, { data: { newest_version: version } });
  }
  await db.query(insertVersion, [orgId, id, version + 1, text, author ?? null, note ?? null]);
  const [applied] = await db.query(advance, [orgId, id, version + 1, definition.max_running ?? null]);
  return { applied: { ...applied!, action: before ? 'updated' : 'created' }, before };
}

function staleness(name: string, base: number, newest: number): string {
  if (newest === 0)
    return `The workflow ${name} does not exist, so version ${base} cannot be its base. Create it first.`;
  if (base === 0) return `There is a workflow ${name} already; its newest version is ${newest}.`;
  return `The newest version of ${name} is ${newest}, and this definition was made from version ${base}.`;
}

/** Returns the definition of a version as it was applied. */
export const findDefinition = findValueWith<unknown, [orgId: string, workflowId: string, version: number]>(
  'workflow_versions.find',
  'SELECT definition FROM workflow_versions WHERE org_id = $1 AND workflow_id = $2 AND version = $3',
);

/** A version of a workflow, without its definition. */
export interface Version {
  version: number;
  /** Author; null if the version's event had been deleted before authors were stored. */
  applied_by: StoredActor | null;
  note: string | null;
  created_at: string;
}

const listOfVersions = statement<Version>(
  'workflow_versions.list',
  `SELECT version, applied_by, note, created_at FROM workflow_versions
   WHERE org_id = $1 AND workflow_id = $2 AND ($4::integer IS NULL OR version < $4) ORDER BY version DESC LIMIT $3`,
);

/** Lists versions of a workflow, newest first. If `before` is given, lists only older versions. */
export function listVersions(
  db: Db,
  orgId: string,
  workflowId: string,
  limit: number,
  before?: number,
): Promise<Version[]> {
  return db.query(listOfVersions, [orgId, workflowId, limit, before ?? null]);
}

/** Finds a version with its definition as it was applied. */
export const findVersion = findWith<
  Version & { definition: unknown },
  [orgId: string, workflowId: string, version: number]
>(
  'workflow_versions.find_whole',
  `SELECT version, applied_by, note, created_at, definition FROM workflow_versions
   WHERE org_id = $1 AND workflow_id = $2 AND version = $3`,
);

export const listWorkflows = listWith<Workflow, [orgId: string]>(
  'workflows.list',
  `SELECT ${columns} FROM workflows w WHERE org_id = $1 ORDER BY name`,
);

const assignableMax = 1_000;

/** Lists the first 1,000 workflows by name, for a list to select from. */
export const listAssignableWorkflows = listWith<Pick<Workflow, 'id' | 'name' | 'version'>, [orgId: string]>(
  'workflows.assignable',
  `SELECT id, name, version FROM workflows WHERE org_id = $1 ORDER BY name LIMIT ${assignableMax}`,
);

export const findWorkflow = findWith<Workflow, [orgId: string, id: string]>(
  'workflows.find',
  `SELECT ${columns} FROM workflows w WHERE org_id = $1 AND id = $2`,
);

const findById = statement<Workflow>('workflows.find_by_id', `SELECT ${columns} FROM workflows w WHERE id::text = $1`);
const findNamed = statement<Workflow>('workflows.find_named', `SELECT ${columns} FROM workflows w WHERE name = $1`);

/** Finds workflows of all organizations, for an operator: by id or, if no id matches, by name. */
export async function findWorkflowsNamed(db: Db, nameOrId: string): Promise<Workflow[]> {
  const byId = await db.query(findById, [nameOrId.toLowerCase()]);
  return byId.length > 0 ? byId : db.query(findNamed, [nameOrId]);
}
