import { generateCredential, hashCredential } from '@relata/auth';
import { type Db, findWith, readWith, statement } from '@relata/db';
import type { Role } from '@relata/schemas/console';
import { nameOfUserSql } from './name.ts';

const hourMs = 3_600_000;

/** Time for which a link of each kind can be redeemed, in ms. */
const lastsMs = { setup: hourMs / 4, invite: 72 * hourMs, reset: 24 * hourMs, local: hourMs / 4 };

type LinkKind = keyof typeof lastsMs;

export type NewLink =
  | { kind: 'setup' }
  | { kind: 'invite'; orgId: string; userId: string; role: Role }
  | { kind: 'reset' | 'local'; personId: string };

const insert = readWith<{ expires_at: string }, unknown[]>(
  'links.insert',
  `INSERT INTO links (token_hash, kind, org_id, user_id, role, person_id, expires_at)
   VALUES (decode($1, 'hex'), $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8 / 1000)) RETURNING expires_at`,
);

export interface MadeLink {
  /** The token itself is returned only here. Only its hash is stored. */
  token: string;
  expires_at: string;
}

export async function insertLink(db: Db, made: NewLink): Promise<MadeLink> {
  const token = generateCredential('link');
  const { orgId = null, userId = null, role = null, personId = null } = made as Partial<Record<string, string>>;
  const values = [hashCredential(token), made.kind, orgId, userId, role, personId, lastsMs[made.kind]];
  return { token, ...(await insert(db, ...values)) };
}

/** A link that can be redeemed. */
export interface OpenLink {
  kind: LinkKind;
  org_id: string | null;
  organization: string | null;
  user_id: string | null;
  role: Role | null;
  /** Id of an existing person: the one whose password is reset, who signs in with a local link, or who is invited. */
  person_id: string | null;
  email: string | null;
  /** For an invitation, the name of the user, since the inviter must not see the name that a person uses elsewhere. */
  name: string | null;
  password_hash: string | null;
  expires_at: string;
}

const find = findWith<OpenLink, [tokenHash: string]>(
  'links.find',
  `SELECT l.kind, l.org_id, o.name AS organization, l.user_id, l.role, p.id AS person_id, coalesce(p.email, u.email) AS email,
     CASE WHEN l.kind = 'invite' THEN ${nameOfUserSql} ELSE p.name END AS name,
     p.password_hash, l.expires_at
   FROM links l
   LEFT JOIN organizations o ON o.id = l.org_id
   LEFT JOIN users u ON u.org_id = l.org_id AND u.id = l.user_id
   LEFT JOIN people p ON p.id = l.person_id OR (l.person_id IS NULL AND p.email_key = lower(u.email))
   WHERE l.token_hash = decode($1, 'hex') AND l.used_at IS NULL AND l.expires_at > now()`,
);

export const findLink = (db: Db, token: string) => find(db, hashCredential(token));

const take = statement<{ kind: LinkKind }>(
  'links.take',
  `UPDATE links SET used_at = now()
   WHERE token_hash = decode($1, 'hex') AND used_at IS NULL AND expires_at > now() RETURNING kind`,
);

/** Uses up a link, in the transaction of its purpose; returns false if it was already used or has ended. */
export async function takeLink(db: Db, token: string): Promise<boolean> {
  return (await db.query(take, [hashCredential(token)])).length > 0;
}

const withdraw = statement<{ kind: LinkKind }>(
  'links.withdraw',
  `UPDATE links SET used_at = now()
   WHERE org_id = $1 AND user_id = $2 AND kind = 'invite' AND used_at IS NULL RETURNING kind`,
);

/** Ends the invitations of a user; returns false if there were none. */
export async function withdrawInvitations(db: Db, orgId: string, userId: string): Promise<boolean> {
  return (await db.query(withdraw, [orgId, userId])).length > 0;
}

const supersede = statement<never>(
  'links.supersede',
  'UPDATE links SET used_at = now() WHERE person_id = $1 AND kind = ANY ($2::text[]) AND used_at IS NULL',
);

/** Ends earlier links of these kinds for a person. */
export async function supersedeLinks(db: Db, personId: string, kinds: readonly ('reset' | 'local')[]): Promise<void> {
  await db.query(supersede, [personId, kinds]);
}
