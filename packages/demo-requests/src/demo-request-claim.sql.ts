import { type Db, statement } from '@relata/db';
import type { DemoRequest, DemoRequestError } from './demo-request.sql.ts';

/** The right to send a request while its lease is valid. */
export interface Claim {
  orgId: string;
  id: string;
  attempt: number;
  before: 'pending' | 'in_doubt' | 'failed' | 'sent';
  /** Name of the organization. */
  organization: string;
}

/**
 * Claims a request. The request is in doubt until an outcome is recorded, because a killed process records none.
 * `attempts` must be the value that the caller read: if two callers have read the same value, only one of them gets the
 * claim.
 */
const claim = statement<Pick<Claim, 'attempt' | 'before' | 'organization'>>(
  'demo_requests.claim',
  `UPDATE demo_requests d SET
     status = CASE WHEN d.status = 'sent' THEN 'sent' ELSE 'in_doubt' END, attempts = d.attempts + 1,
     last_attempt_at = now(), claimed_until = now() + make_interval(secs => $5::float8 / 1000), last_error = NULL
   FROM (
     SELECT org_id, id, status FROM demo_requests
     WHERE org_id = $1 AND id = $2 AND attempts = $3 AND (status <> 'sent' OR $4)
       AND (claimed_until IS NULL OR claimed_until <= now())
     FOR UPDATE
   ) b
   WHERE d.org_id = b.org_id AND d.id = b.id
   RETURNING d.attempts AS attempt, b.status AS before,
     (SELECT name FROM organizations o WHERE o.id = d.org_id) AS organization`,
);

export interface ClaimTerms {
  leaseMs: number;
  /** True if a request that was already sent may be claimed, too. */
  mayRepeat: boolean;
}

/**
 * Claims a request. Returns undefined if another process has claimed the request since it was read, or if the request
 * was already sent and must not be repeated.
 */
export async function claimDemoRequest(
  db: Db,
  { org_id: orgId, id, attempts }: Pick<DemoRequest, 'org_id' | 'id' | 'attempts'>,
  { leaseMs, mayRepeat }: ClaimTerms,
): Promise<Claim | undefined> {
  const [row] = await db.query(claim, [orgId, id, attempts, mayRepeat, leaseMs]);
  return row && { orgId, id, ...row };
}

/** Any attempt may record that the request arrived; only the holder of the claim may record a failure. */
const note = statement<never>(
  'demo_requests.note',
  `UPDATE demo_requests SET
     status = CASE WHEN status = 'sent' THEN 'sent' ELSE $4 END, last_error = $5, claimed_until = NULL,
     sent_at = CASE WHEN $4 = 'sent' THEN now() ELSE sent_at END
   WHERE org_id = $1 AND id = $2 AND (attempts = $3 OR $4 = 'sent')`,
);

/** Ends an attempt. A request that was in doubt before stays in doubt if this attempt fails. */
export async function recordOutcome(
  db: Db,
  { orgId, id, attempt, before }: Claim,
  failure: (DemoRequestError & { isInDoubt: boolean }) | undefined,
): Promise<void> {
  if (!failure) return void (await db.query(note, [orgId, id, attempt, 'sent', null]));
  const { isInDoubt, ...error } = failure;
  const status = isInDoubt || before === 'in_doubt' ? 'in_doubt' : 'failed';
  await db.query(note, [orgId, id, attempt, status, JSON.stringify(error)]);
}
