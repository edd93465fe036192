import { isDeepStrictEqual } from 'node:util';
import { type Db, newId, statement } from '@relata/db';
import type { AuditType } from '@relata/schemas';
import type { Actor } from './actor.ts';
import { toEventOrigin } from './event-origin.ts';

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
/** Columns of an assignment: a trigger, the workflow that it starts, and the sources of its inputs. */
const assignment = ['id', 'name', 'workflow_id', 'workflow', 'inputs'] as const;
const workflow = ['id', 'name', 'version', 'max_running', 'created_at', 'updated_at'] as const;
/**
 * Columns of deliveries and runs: `name` is that of the trigger or the workflow. No event contains a payload or the
 * inputs of a run.
 */
const delivery = ['id', 'name', 'trigger_id', 'runs'] as const;
const run = ['id', 'name', 'workflow_id', 'version', 'delivery_id', 'status'] as const;
/** Columns of a problem, which has no id: its events belong to its workflow. */
const problem = ['id', 'name', 'step', 'code', 'state'] as const;
const member = ['id', 'name', 'email', 'role', 'invited_until'] as const;
const secret = ['id', 'name', 'created_at', 'updated_at'] as const;
/** Columns of the channel for messages to the team: `id` is that of its organization, `name` is its host. */
const notifyChannel = ['id', 'name', 'kind', 'created_at', 'updated_at'] as const;

/**
 * Columns that events of each type show to every reader; nothing else is shown. They contain no credential, no hash or
 * last characters of a credential, and no text into which somebody may have written a credential, such as definitions,
 * filters and constants.
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
  'notify_channel.created': notifyChannel,
  'notify_channel.updated': notifyChannel,
  'notify_channel.tested': notifyChannel,
  'notify_channel.removed': notifyChannel,
} as const satisfies Record<AuditType, readonly string[]>;

type Shown<Type extends AuditType> = (typeof shownColumns)[Type][number];

/** A row with all columns that the event shows; its other columns are left out. */
type AuditRow<Type extends AuditType> = { readonly [Column in Shown<Type>]: unknown } & { id: string };

export interface AuditChange<Type extends AuditType> {
  /** The previous row; absent if the event does not compare two rows, as for a created or removed object. */
  before?: AuditRow<Type> | undefined;
  /** The current row, or the last row of a removed object. */
  row: AuditRow<Type>;
  /** Names of changed columns that are never shown. */
  hidden?: readonly string[];
}

const insert = statement<never>(
  'events.insert_audit',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record)
   VALUES ($1, $2, next_event($1), $3, $4, $5, $6, $7, $8, $9, $10)`,
);

/**
 * Writes the event of a change to an object other than a record. Call it in the transaction of the change with the row
 * locked, so that the events of a row are in the order of its changes. A change that leaves the row as it was gets no
 * event.
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
  const { actor: who, requestId, depth } = toEventOrigin(actor);
  const change = changed.length > 0 ? [changed, before ? valuesOf(before, named) : '{}'] : [null, null];
  const values = [actor.orgId, newId(), type, row.id, who, requestId, depth, ...change, valuesOf(row, columns)];
  await db.query(insert, values);
}

/** Returns columns as JSON; missing values are left out, as in records. */
function valuesOf<Row extends object>(row: Row, columns: readonly (keyof Row)[]): string {
  const named = columns.map((name) => [name, row[name]] as const).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(named));
}
