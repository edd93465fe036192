import { type Db, findValueWith, findWith, listWith, newId, statement } from '@relata/db';
import type { SignatureSpec } from '@relata/signatures';

/** A webhook trigger as shown to an operator, with only the last four characters of its secret. */
export interface Trigger {
  id: string;
  org_id: string;
  name: string;
  mode: 'unique' | 'shared' | 'signature';
  active: boolean;
  /** The selected API key in shared mode. */
  key_id: string | null;
  /** How a sender of a known kind authenticates; null for senders that use `X-Webhook-Secret`. */
  signature: SignatureSpec | null;
  secret_last_four: string | null;
  /** Expression with the same value for every repeat; null to use the headers `Idempotency-Key` and `webhook-id`. */
  repeat_key: string | null;
  workflows: string[];
  created_at: string;
  updated_at: string;
}

const columns = `t.id, t.org_id, t.name,
  CASE WHEN t.signature IS NOT NULL THEN 'signature' WHEN t.key_id IS NULL THEN 'unique' ELSE 'shared' END AS mode,
  t.is_active AS active, t.key_id, t.signature,
  coalesce(
    (SELECT s.last_four FROM webhook_trigger_secrets s
     WHERE s.org_id = t.org_id AND s.trigger_id = t.id AND s.expires_at IS NULL),
    (SELECT s.last_four FROM webhook_signing_secrets s
     WHERE s.org_id = t.org_id AND s.trigger_id = t.id AND s.expires_at IS NULL)) AS secret_last_four,
  t.repeat_key,
  ARRAY(SELECT w.name FROM trigger_workflows a JOIN workflows w ON w.org_id = a.org_id AND w.id = a.workflow_id
        WHERE a.org_id = t.org_id AND a.trigger_id = t.id ORDER BY w.name) AS workflows,
  t.created_at, t.updated_at`;

const insert = statement<never>(
  'webhook_triggers.insert',
  `INSERT INTO webhook_triggers (org_id, id, name, key_id, signature, repeat_key)
   VALUES ($1, $2, $3, $4, $5::json, $6)`,
);

interface NewTrigger {
  name: string;
  repeatKey: string | undefined;
  keyId: string | undefined;
  signature: SignatureSpec | undefined;
}

/** Creates a trigger without secrets and returns its id. */
export async function insertTrigger(db: Db, orgId: string, made: NewTrigger): Promise<string> {
  const { name, keyId, signature, repeatKey } = made;
  const id = newId();
  const spec = signature ? JSON.stringify(signature) : null;
  await db.query(insert, [orgId, id, name, keyId ?? null, spec, repeatKey ?? null]);
  return id;
}

export const touchTrigger = listWith<never, [orgId: string, id: string]>(
  'webhook_triggers.touch',
  'UPDATE webhook_triggers SET updated_at = now() WHERE org_id = $1 AND id = $2',
);

/** The columns of a trigger that operations can change. */
export type TriggerFields = Pick<Trigger, 'name' | 'active' | 'repeat_key' | 'key_id'>;

const update = statement<never>(
  'webhook_triggers.update',
  `UPDATE webhook_triggers SET name = $3, is_active = $4, repeat_key = $5, key_id = $6, updated_at = now()
   WHERE org_id = $1 AND id = $2`,
);

/** Stores the fields of a trigger. Call it in a transaction that has locked the trigger. */
export async function updateTrigger(db: Db, trigger: TriggerFields & Pick<Trigger, 'org_id' | 'id'>): Promise<void> {
  const { org_id: orgId, id, name, active, repeat_key: repeatKey, key_id: keyId } = trigger;
  await db.query(update, [orgId, id, name, active, repeatKey, keyId]);
}

const lock = statement<{ id: string }>(
  'webhook_triggers.lock',
  'SELECT id FROM webhook_triggers WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

/** Locks a trigger until the transaction ends, and returns it. Changes of its assignments take the same lock. */
export async function lockTrigger(db: Db, orgId: string, id: string): Promise<Trigger | undefined> {
  await db.query(lock, [orgId, id]);
  // Joined rows must be read after the lock is held.
  return findTrigger(db, orgId, id);
}

export const findTrigger = findWith<Trigger, [orgId: string, id: string]>(
  'webhook_triggers.find',
  `SELECT ${columns} FROM webhook_triggers t WHERE t.org_id = $1 AND t.id = $2`,
);

/** Finds the organization of a trigger, for an operator who gives only the id of the trigger. */
export const findTriggerOrganization = findValueWith<string, [id: string]>(
  'webhook_triggers.organization',
  'SELECT org_id FROM webhook_triggers WHERE id = $1',
);

export const listTriggers = listWith<Trigger, [orgId: string]>(
  'webhook_triggers.list',
  `SELECT ${columns} FROM webhook_triggers t WHERE t.org_id = $1 ORDER BY t.id`,
);
