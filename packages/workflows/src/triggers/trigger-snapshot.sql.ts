import { type Db, listWith, statement } from '@relata/db';
import type { SignatureSpec } from '@relata/signatures';
import type { InputMapping } from './assignment.sql.ts';

/** A secret that a trigger accepts: its hash in hexadecimal, its expiry, and in shared mode its API key. */
interface AcceptedSecret {
  /** Null for an API key. */
  id: string | null;
  hash: string;
  expires_at: string | null;
  key_id: string | null;
}

/** A sender's encrypted secret, with the ciphertext in hexadecimal. */
interface SealedSecret {
  id: string;
  key_id: string;
  ciphertext: string;
  expires_at: string | null;
}

/** A workflow that a trigger starts, in its newest version. */
export interface AssignedVersion {
  workflow_id: string;
  version: number;
  is_limited: boolean;
  inputs: InputMapping;
  filter: string | null;
}

export interface AssignedWorkflow extends AssignedVersion {
  definition: unknown;
}

/** An active trigger with everything the receiver needs. */
export interface TriggerSnapshotRow {
  org_id: string;
  id: string;
  repeat_key: string | null;
  /** SHA-256 in hexadecimal of the token with which the maker checks the URL. */
  verify_token_hash: string | null;
  secrets: AcceptedSecret[];
  /** How a sender of a known kind authenticates; null for senders that use `X-Webhook-Secret`. */
  signature: SignatureSpec | null;
  signing_secrets: SealedSecret[] | null;
  workflows: AssignedVersion[];
}

/** SQL for the workflows that a trigger starts, in their newest versions. `members` adds members to each. */
const assigned = (members = '', join = '') => `coalesce((
    SELECT json_agg(json_build_object(
      'workflow_id', w.id, 'version', w.version, 'is_limited', w.max_running IS NOT NULL,
      'inputs', a.inputs, 'filter', a.filter${members}) ORDER BY w.id)
    FROM trigger_workflows a
    JOIN workflows w ON w.org_id = a.org_id AND w.id = a.workflow_id
    ${join}
    WHERE a.org_id = t.org_id AND a.trigger_id = t.id
  ), '[]')`;

/**
 * Finds the active triggers among these, of any organization, because the URL of a delivery contains only the trigger's
 * id. Follows a rotated key to its successors: the old key is accepted during its overlap, the new one immediately.
 */
export const findTriggerSnapshots = listWith<TriggerSnapshotRow, [ids: readonly string[]]>(
  'webhook_triggers.open',
  `SELECT t.org_id, t.id, t.repeat_key, encode(t.verify_token_hash, 'hex') AS verify_token_hash, coalesce(CASE WHEN t.key_id IS NULL THEN (
       SELECT json_agg(json_build_object('id', s.id, 'hash', encode(s.secret_hash, 'hex'), 'expires_at', s.expires_at, 'key_id', NULL))
       FROM webhook_trigger_secrets s WHERE s.org_id = t.org_id AND s.trigger_id = t.id
         AND (s.expires_at IS NULL OR s.expires_at > now())
     ) ELSE (
       WITH RECURSIVE chain AS (
         SELECT k.* FROM api_keys k WHERE k.org_id = t.org_id AND k.id = t.key_id
         UNION ALL
         SELECT k.* FROM chain c JOIN api_keys k ON k.org_id = c.org_id AND k.id = c.replaced_by
       )
       SELECT json_agg(json_build_object('id', NULL, 'hash', encode(c.key_hash, 'hex'), 'expires_at', c.expires_at, 'key_id', c.id))
       FROM chain c WHERE c.revoked_at IS NULL AND 'webhook' = ANY (c.scopes)
     ) END, '[]') AS secrets,
     t.signature, CASE WHEN t.signature IS NOT NULL THEN (
       SELECT json_agg(json_build_object(
         'id', s.id, 'key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'hex'), 'expires_at', s.expires_at))
       FROM webhook_signing_secrets s WHERE s.org_id = t.org_id AND s.trigger_id = t.id
         AND (s.expires_at IS NULL OR s.expires_at > now())
     ) END AS signing_secrets,
     ${assigned()} AS workflows
   FROM webhook_triggers t WHERE t.id = ANY ($1::uuid[]) AND t.is_active`,
);

const ofVersion = 'JOIN workflow_versions v ON v.org_id = w.org_id AND v.workflow_id = w.id AND v.version = w.version';

const findAssigned = statement<{ workflows: AssignedWorkflow[] }>(
  'webhook_triggers.assigned',
  `SELECT ${assigned(", 'definition', v.definition", ofVersion)} AS workflows FROM webhook_triggers t WHERE t.org_id = $1 AND t.id = $2`,
);

/** Lists the workflows that a trigger starts, even if it is disabled: its earlier deliveries can be replayed. */
export async function listAssignedWorkflows(db: Db, orgId: string, triggerId: string): Promise<AssignedWorkflow[]> {
  const [row] = await db.query(findAssigned, [orgId, triggerId]);
  return row?.workflows ?? [];
}
