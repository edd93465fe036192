import { type Db, findValueWith, findWith, listWith, statement } from '@relata/db';
import { idRange, type ListWindow } from '../list-window.ts';

/** Number of bytes of a body that a list shows. */
const shownBytes = 8_192;

export interface RefusedPost {
  id: string;
  org_id: string;
  trigger_id: string;
  trigger: string;
  refused_at: string;
  status: number;
  reason: string;
  message: string;
  field: string | null;
  bytes: number | null;
  address: string | null;
  /** The first 8 KB. */
  body: Buffer | null;
  /**
   * True if the post can be stored as a delivery: its status is 400, its body was kept whole, and no replay has stored
   * it yet.
   */
  can_replay: boolean;
  /** The delivery that a replay stored from the post. */
  delivery_id: string | null;
}

export interface RefusedPostDetail extends RefusedPost {
  headers: Record<string, string> | null;
}

const columns = `r.id, r.org_id, r.trigger_id, t.name AS trigger, r.refused_at, r.status, r.reason, r.message, r.field,
  r.bytes, r.address, r.delivery_id,
  coalesce(r.delivery_id IS NULL AND r.status = 400 AND length(r.body) = r.bytes, false) AS can_replay`;

const shown = `${columns}, substring(r.body FOR ${shownBytes}) AS body`;

const named = 'JOIN webhook_triggers t ON t.org_id = r.org_id AND t.id = r.trigger_id';

const list = statement<RefusedPost>(
  'webhook_refusals.list',
  `SELECT ${shown} FROM webhook_refusals r ${named}
   WHERE r.org_id = $1 AND r.id >= $3 AND r.id < $4 ORDER BY r.id DESC LIMIT $2`,
);

const newestOf = (isAuthorized: boolean) => `SELECT * FROM webhook_refusals
   WHERE org_id = $1 AND trigger_id = $5 AND is_authorized = ${isAuthorized} AND id >= $3 AND id < $4
   ORDER BY id DESC LIMIT $2`;

/**
 * Reads posts with and without the secret separately, in the order of the index by trigger. A scan of the whole
 * organization could meet many posts of other triggers.
 */
const listOfTrigger = statement<RefusedPost>(
  'webhook_refusals.list_of_trigger',
  `SELECT ${shown} FROM ((${newestOf(true)}) UNION ALL (${newestOf(false)})) r ${named}
   ORDER BY r.id DESC LIMIT $2`,
);

/** Lists refused posts of all triggers or of one, newest first. */
export function listRefusals(
  db: Db,
  orgId: string,
  { limit, triggerId, ...window }: ListWindow & { triggerId?: string | undefined },
): Promise<RefusedPost[]> {
  const { low, high } = idRange(window);
  const values = [orgId, limit, low, high];
  return triggerId ? db.query(listOfTrigger, [...values, triggerId]) : db.query(list, values);
}

const listOfAll = statement<RefusedPost>(
  'webhook_refusals.list_of_all',
  `SELECT ${shown} FROM organizations o CROSS JOIN LATERAL (
     SELECT * FROM webhook_refusals WHERE org_id = o.id AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $1
   ) r ${named} ORDER BY r.id DESC LIMIT $1`,
);

/** Lists refused posts of all organizations, newest first, for an operator. */
export function listAllRefusals(
  db: Db,
  { limit, before }: Pick<ListWindow, 'limit' | 'before'>,
): Promise<RefusedPost[]> {
  return db.query(listOfAll, [limit, before ?? null]);
}

/** Finds a refused post with its headers and the stored part of its body. */
export const findRefusedPost = findWith<RefusedPostDetail, [orgId: string, id: string]>(
  'webhook_refusals.find',
  `SELECT ${columns}, r.body, r.headers FROM webhook_refusals r ${named} WHERE r.org_id = $1 AND r.id = $2`,
);

/** Finds the organization of a refused post, for an operator who gives only the id of the post. */
export const findRefusedPostOrganization = findValueWith<string, [id: string]>(
  'webhook_refusals.organization',
  'SELECT r.org_id FROM organizations o JOIN webhook_refusals r ON r.org_id = o.id WHERE r.id = $1',
);

const lock = statement<never>(
  'webhook_refusals.lock',
  'SELECT FROM webhook_refusals WHERE org_id = $1 AND id = $2 FOR UPDATE',
);

/** Locks a refused post until the transaction ends, so that it is replayed once, and returns it. */
export async function lockRefusedPost(db: Db, orgId: string, id: string): Promise<RefusedPostDetail | undefined> {
  await db.query(lock, [orgId, id]);
  return findRefusedPost(db, orgId, id);
}

/** Records the delivery that was stored from a refused post. */
export const markRefusedReplayed = listWith<never, [orgId: string, id: string, deliveryId: string]>(
  'webhook_refusals.mark_replayed',
  'UPDATE webhook_refusals SET delivery_id = $3 WHERE org_id = $1 AND id = $2',
);
