import { type Db, newId, statement } from '@relata/db';
import type { SignatureSpec } from '@relata/signatures';

/** A webhook trigger as an operator sees it; of its secret only the last four characters are known. */
export interface Trigger {
  id: string;
  org_id: string;
  name: string;
  mode: 'unique' | 'shared' | 'signature';
  active: boolean;
  /** The selected API key in shared mode. */
  key_id: string | null;
  /** How the sender signs, where it does. */
  signature: SignatureSpec | null;
  secret_last_four: string | null;
  /** The expression whose value is the same for every repeat; null: `Idempotency-Key` and `webhook-id`. */
  repeat_key: string | null;
  workflows: string[];
  created_at: string;
  updated_at: string;
}

const columns = `t.id, t.org_id, t.name,
  CASE WHEN t.signature IS NOT NULL THEN 'signature' WHEN t.key_id IS NULL THEN 'unique' ELSE 'shared' END AS mode,
  t.is_active AS active, t.key_id, t.signature,
  (SELECT s.last_four FROM webhook_trigger_secrets s
   WHERE s.org_id = t.org_id AND s.trigger_id = t.id AND s.expires_at IS NULL) AS secret_last_four,
  t.repeat_key,
  ARRAY(SELECT w.name FROM trigger_workflows a JOIN workflows w ON w.org_id = a.org_id AND w.id = a.workflow_id
        WHERE a.org_id = t.org_id AND a.trigger_id = t.id ORDER BY w.name) AS workflows,
  t.created_at, t.updated_at`;

const insert = statement<{ id: string }>(
  'webhook_triggers.insert',
  `INSERT INTO webhook_triggers (org_id, id, name, key_id, signature, repeat_key)
   VALUES ($1, $2, $3, $4, $5::json, $6) RETURNING id`,
);

const insertSecret = statement<never>(
  'webhook_trigger_secrets.insert',
  `INSERT INTO webhook_trigger_secrets (org_id, trigger_id, id, secret_hash, last_four)
   VALUES ($1, $2, $3, decode($4, 'hex'), $5)`,
);

/** What is kept of a trigger's secret: its SHA-256 in hexadecimal, and the characters that people recognize it by. */
export interface SecretMark {
  hash: string;
  lastFour: string;
}

/** The key that is selected, a secret of its own, or how its sender signs. */
type TriggerGuard = { keyId: string } | { secret: SecretMark } | { signature: SignatureSpec };

type NewTrigger = { name: string; repeatKey?: string | undefined } & TriggerGuard;

/** Creates a trigger; call it in a transaction. */
export async function insertTrigger(db: Db, orgId: string, made: NewTrigger): Promise<Trigger> {
  const id = newId();
  const keyId = 'keyId' in made ? made.keyId : null;
  const signature = 'signature' in made ? JSON.stringify(made.signature) : null;
  await db.query(insert, [orgId, id, made.name, keyId, signature, made.repeatKey ?? null]);
  if ('secret' in made) await addSecret(db, orgId, id, made.secret);
  return (await findTrigger(db, orgId, id))!;
}

async function addSecret(db: Db, orgId: string, id: string, { hash, lastFour }: SecretMark): Promise<void> {
  await db.query(insertSecret, [orgId, id, newId(), hash, lastFour]);
}

const endSecrets = statement<{ last_end: string | null }>(
  'webhook_trigger_secrets.end',
  `WITH ended AS (
     UPDATE webhook_trigger_secrets SET expires_at = least(expires_at, now() + make_interval(secs => $3::float8 / 1000))
     WHERE org_id = $1 AND trigger_id = $2 RETURNING expires_at
   ) SELECT max(expires_at) AS last_end FROM ended`,
);

/**
 * Gives a trigger a new secret; those before it go on for the overlap, the last of them until the time that is returned.
 * Call it in a transaction that has locked the trigger.
 */
export async function replaceTriggerSecret(
  db: Db,
  orgId: string,
  id: string,
  { secret, overlapMs }: { secret: SecretMark; overlapMs: number },
): Promise<string | null> {
  await touchTrigger(db, orgId, id);
  const [ended] = await db.query(endSecrets, [orgId, id, overlapMs]);
  await addSecret(db, orgId, id, secret);
  return ended!.last_end;
}

const touch = statement<never>(
  'webhook_triggers.touch',
  'UPDATE webhook_triggers SET updated_at = now() WHERE org_id = $1 AND id = $2',
);

export async function touchTrigger(db: Db, orgId: string, id: string): Promise<void> {
  await db.query(touch, [orgId, id]);
}

const activate = statement<never>(
  'webhook_triggers.activate',
  'UPDATE webhook_triggers SET is_active = $3, updated_at = now() WHERE org_id = $1 AND id = $2',
);

/** Lets a trigger take deliveries, or not; one that is not active answers as if it were not there. */
export async function updateTriggerActive(db: Db, orgId: string, id: string, isActive: boolean): Promise<void> {
  await db.query(activate, [orgId, id, isActive]);
}

const rename = statement<never>(
  'webhook_triggers.rename',
  'UPDATE webhook_triggers SET name = $3, updated_at = now() WHERE org_id = $1 AND id = $2',
);

export async function updateTriggerName(db: Db, orgId: string, id: string, name: string): Promise<void> {
  await db.query(rename, [orgId, id, name]);
}

const changeRepeatKey = statement<never>(
  'webhook_triggers.change_repeat_key',
  'UPDATE webhook_triggers SET repeat_key = $3, updated_at = now() WHERE org_id = $1 AND id = $2',
);

/** Changes by what a trigger recognizes repeats; null for the headers that senders mark them with. */
export async function updateTriggerRepeatKey(db: Db, orgId: string, id: string, key: string | null): Promise<void> {
  await db.query(changeRepeatKey, [orgId, id, key]);
}

const selectKey = statement<never>(
  'webhook_triggers.select_key',
  'UPDATE webhook_triggers SET key_id = $3, updated_at = now() WHERE org_id = $1 AND id = $2',
);

const dropSecrets = statement<never>(
  'webhook_trigger_secrets.delete',
  'DELETE FROM webhook_trigger_secrets WHERE org_id = $1 AND trigger_id = $2',
);

/** Puts a trigger into shared mode, or selects another key; a secret of its own ends. Call it in a transaction. */
export async function updateTriggerKey(db: Db, orgId: string, id: string, keyId: string): Promise<void> {
  await db.query(selectKey, [orgId, id, keyId]);
  await db.query(dropSecrets, [orgId, id]);
}

const lock = statement<{ id: string }>(
  'webhook_triggers.lock',
  'SELECT id FROM webhook_triggers WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

/** Finds a trigger and lets nobody else change it, or what it starts, before the transaction ends. */
export async function lockTrigger(db: Db, orgId: string, id: string): Promise<Trigger | undefined> {
  await db.query(lock, [orgId, id]);
  // What is joined to the row is read behind the lock.
  return findTrigger(db, orgId, id);
}

const find = statement<Trigger>(
  'webhook_triggers.find',
  `SELECT ${columns} FROM webhook_triggers t WHERE t.org_id = $1 AND t.id = $2`,
);

export async function findTrigger(db: Db, orgId: string, id: string): Promise<Trigger | undefined> {
  const [row] = await db.query(find, [orgId, id]);
  return row;
}

const secrets = statement<TriggerSecret>(
  'webhook_trigger_secrets.list',
  `SELECT last_four, expires_at, created_at FROM (
     SELECT org_id, trigger_id, id, last_four, expires_at, created_at FROM webhook_trigger_secrets
     UNION ALL SELECT org_id, trigger_id, id, NULL, expires_at, created_at FROM webhook_signing_secrets
   ) s WHERE org_id = $1 AND trigger_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
);

/** What is shown of a trigger's secret; one that was rotated has an end. */
export interface TriggerSecret {
  /** Null of a sender's own secret: of that nothing is kept in clear. */
  last_four: string | null;
  expires_at: string | null;
  created_at: string;
}

/** The secrets that open a trigger now, the newest first; none in shared mode. */
export function listTriggerSecrets(db: Db, orgId: string, id: string): Promise<TriggerSecret[]> {
  return db.query(secrets, [orgId, id]);
}

const organizationOf = statement<{ org_id: string }>(
  'webhook_triggers.organization',
  'SELECT org_id FROM webhook_triggers WHERE id = $1',
);

/** The organization of a trigger, for an operator who names only the trigger. */
export async function findTriggerOrganization(db: Db, id: string): Promise<string | undefined> {
  const [row] = await db.query(organizationOf, [id]);
  return row?.org_id;
}

const list = statement<Trigger>(
  'webhook_triggers.list',
  `SELECT ${columns} FROM webhook_triggers t WHERE t.org_id = $1 ORDER BY t.id`,
);

export function listTriggers(db: Db, orgId: string): Promise<Trigger[]> {
  return db.query(list, [orgId]);
}
