import { type Db, findValueWith, findWith, newId, statement } from '@relata/db';
import type { Actor } from '@relata/events';
import type { DemoRequest as DemoRequestFields } from '@relata/schemas/chat';

/**
 * `pending`: stored and not sent yet. `sending`: a process is sending the request, or stored it within the last ten
 * seconds and is about to send it. `in_doubt`: the request may or may not have arrived in the channel. `failed`: it has
 * not arrived. `sent`: it has arrived.
 */
type DemoRequestStatus = 'pending' | 'sending' | 'in_doubt' | 'failed' | 'sent';

/** Reason why the last attempt to send failed. Messages do not contain the webhook's URL. */
export interface DemoRequestError {
  code: string;
  message: string;
  /** HTTP status of the channel's response. */
  status?: number | undefined;
}

/** A request in a list, without its message, which may be long. */
export interface ListedDemoRequest {
  id: string;
  org_id: string;
  name: string;
  work_email: string;
  company: string | null;
  team_size: string | null;
  crm: string | null;
  use_case: string | null;
  status: DemoRequestStatus;
  /** Number of attempts to send it; each may post several times. */
  attempts: number;
  last_attempt_at: string | null;
  last_error: DemoRequestError | null;
  /** Time when it last arrived in the channel. */
  sent_at: string | null;
  created_at: string;
}

export interface DemoRequest extends ListedDemoRequest {
  message: string | null;
}

/**
 * SQL for the status. A new request is `sending` for ten seconds: the process that stored it is about to send it, so a
 * resend of all unsent requests must skip it.
 */
const status = `CASE
    WHEN claimed_until > now() OR (status = 'pending' AND created_at > now() - interval '10 seconds') THEN 'sending'
    ELSE status
  END AS status`;

const columns = `id, org_id, name, work_email, company, team_size, crm, use_case, ${status},
  attempts, last_attempt_at, last_error, sent_at, created_at`;

const insert = statement<DemoRequest>(
  'demo_requests.insert',
  `INSERT INTO demo_requests (org_id, id, name, work_email, company, team_size, crm, use_case, message)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns}, message`,
);

/** Stores a visitor's request before the team is notified. */
export async function storeDemoRequest(db: Db, { orgId }: Actor, fields: DemoRequestFields): Promise<DemoRequest> {
  const { name, work_email, company, team_size, crm, use_case, message } = fields;
  const optional = [company, team_size, crm, use_case, message].map((value) => value ?? null);
  const [row] = await db.query(insert, [orgId, newId(), name, work_email, ...optional]);
  return row!;
}

export interface DemoRequestFilter {
  /** True to list only requests that are not known to be in the channel: pending, sending, in doubt and failed. */
  unsent?: boolean | undefined;
  limit: number;
  /** Only requests older than this id. */
  before?: string | undefined;
}

const listOf = (condition: string) =>
  `SELECT ${columns} FROM demo_requests
   WHERE org_id = $1 AND ($3::uuid IS NULL OR id < $3) ${condition} ORDER BY id DESC LIMIT $2`;

const list = statement<ListedDemoRequest>('demo_requests.list', listOf(''));
const listUnsent = statement<ListedDemoRequest>('demo_requests.list_unsent', listOf("AND status <> 'sent'"));

/**
 * Selects the newest requests of each organization, and from these the newest of all. No index sorts the requests of
 * all organizations together.
 */
const listOfAll = (condition: string) =>
  `SELECT d.* FROM organizations o CROSS JOIN LATERAL (
     SELECT ${columns} FROM demo_requests WHERE org_id = o.id AND ($2::uuid IS NULL OR id < $2) ${condition}
     ORDER BY id DESC LIMIT $1
   ) d ORDER BY d.id DESC LIMIT $1`;

const listAll = statement<ListedDemoRequest>('demo_requests.list_all', listOfAll(''));
const listAllUnsent = statement<ListedDemoRequest>('demo_requests.list_all_unsent', listOfAll("AND status <> 'sent'"));

/** Returns requests of an organization, the newest first. */
export function listDemoRequests(
  db: Db,
  orgId: string,
  { unsent, limit, before }: DemoRequestFilter,
): Promise<ListedDemoRequest[]> {
  return db.query(unsent ? listUnsent : list, [orgId, limit, before ?? null]);
}

/** Returns requests of all organizations, the newest first, for an operator. */
export function listAllDemoRequests(
  db: Db,
  { unsent, limit, before }: DemoRequestFilter,
): Promise<ListedDemoRequest[]> {
  return db.query(unsent ? listAllUnsent : listAll, [limit, before ?? null]);
}

export const findDemoRequest = findWith<DemoRequest, [orgId: string, id: string]>(
  'demo_requests.find',
  `SELECT ${columns}, message FROM demo_requests WHERE org_id = $1 AND id = $2`,
);

/** Returns the organization of a request, for an operator who names only the request. */
export const findDemoRequestOrganization = findValueWith<string, [id: string]>(
  'demo_requests.organization',
  'SELECT d.org_id FROM organizations o JOIN demo_requests d ON d.org_id = o.id WHERE d.id = $1',
);
