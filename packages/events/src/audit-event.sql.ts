import { isDeepStrictEqual } from 'node:util';
import { type Db, newId, statement } from '@relata/db';
import type { AuditType } from '@relata/schemas';
import type { Actor } from './actor.ts';
import { originOf } from './event-origin.ts';

const organization = ['id', 'name', 'created_at', 'updated_at'] as const;
const apiKey = ['id', 'name', 'kind', 'scopes', 'origins', 'expires_at', 'revoked_at', 'created_at'] as const;
const trigger = [
  'id',
  'name',
  'mode',
  'signature',
  'active',
  'key_id',
  'repeat_key',
  'created_at',
  'updated_at',
] as const;
/** Of a trigger: the workflow that it starts, and where the inputs come from. */
const assignment = ['id', 'name', 'workflow_id', 'workflow', 'inputs'] as const;
const workflow = ['id', 'name', 'version', 'max_running', 'created_at', 'updated_at'] as const;
/** By the names of their trigger and their workflow; what came in, and what a run was given, is in no event. */
const delivery = ['id', 'name', 'trigger_id', 'runs'] as const;
const run = ['id', 'name', 'workflow_id', 'version', 'delivery_id', 'status'] as const;
/** A problem has no id: its events are of its workflow. */
const problem = ['id', 'name', 'step', 'code', 'state'] as const;
const member = ['id', 'name', 'email', 'role', 'invited_until'] as const;
const secret = ['id', 'name', 'created_at', 'updated_at'] as const;

/**
 * What is shown of a change, and nothing else, to every reader of events. Neither a credential nor its hash or its last
 * characters are in a list, nor what somebody may have written a credential into: definitions, filters, constants.
 */
const shownColumns = {
  'organization.updated': organization,
  'api_key.created': apiKey,
  'api_key.updated': apiKey,
  'api_key.rotated': [...apiKey, 'replaced_by'],
  'api_key.revoked': apiKey,
  'trigger.created': trigger,
  'trigger.updated': trigger,
  'trigger.secret_rotated': [...trigger, 'old_secrets_expire_at'],
  'trigger.assigned': assignment,
  'trigger.unassigned': assignment,
  'workflow.applied': workflow,
  'delivery.replayed': delivery,
  'run.retried': run,
  'run.cancelled': run,
  'problem.resolved': problem,
  'problem.ignored': problem,
  'problem.reopened': problem,
  'member.invited': member,
  'member.joined': member,
  'member.role_changed': member,
  'member.removed': member,
  'secret.created': secret,
  'secret.updated': secret,
  'secret.removed': secret,
} as const satisfies Record<AuditType, readonly string[]>;

type Shown<Type extends AuditType> = (typeof shownColumns)[Type][number];

/** A row with all columns that the event shows; others that it has are left out. */
type AuditRow<Type extends AuditType> = { readonly [Column in Shown<Type>]: unknown } & { id: string };

export interface AuditChange<Type extends AuditType> {
  /** The row as it was; absent where something was made or ended as a whole. */
  before?: AuditRow<Type> | undefined;
  /** The row as it is, or was last. */
  row: AuditRow<Type>;
  /** The names of what has changed and is never shown. */
  hidden?: readonly string[];
}

const insert = statement<never>(
  'events.insert_audit',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record)
   VALUES ($1, $2, next_event($1), $3, $4, $5, $6, $7, $8, $9, $10)`,
);

/**
 * Writes the event of a change that is not one of a record. Call it in the transaction of the change, with the row locked,
 * so that the events of a row are in the order of its changes. A change from which the row comes out the same has none.
 */
export async function writeAuditEvent<Type extends AuditType>(
  db: Db,
  actor: Actor,
  type: Type,
  { before, row, hidden = [] }: AuditChange<Type>,
): Promise<void> {
  const columns: readonly Shown<Type>[] = shownColumns[type];
  const differs = (name: Shown<Type>) => name !== 'updated_at' && !isDeepStrictEqual(before?.[name], row[name]);
  const named = before ? columns.filter(differs) : [];
  const changed = [...named, ...hidden];
  if (before && changed.length === 0) return;
  const { actor: who, requestId, depth } = originOf(actor);
  const change = changed.length > 0 ? [changed, before ? valuesOf(before, named) : '{}'] : [null, null];
  const values = [actor.orgId, newId(), type, row.id, who, requestId, depth, ...change, valuesOf(row, columns)];
  await db.query(insert, values);
}

/** As JSON; what has no value is left out, as records leave it out. */
function valuesOf<Row extends object>(row: Row, columns: readonly (keyof Row)[]): string {
  const named = columns.map((name) => [name, row[name]] as const).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(named));
}
