import { type Db, firstRow, listWith, newId, type Statement, statement } from '@relata/db';
import type { Role } from '@relata/schemas/console';
import type { Person } from './person.sql.ts';

/** The person behind a request, with their membership in the organization that the request names. */
export interface FoundSession {
  session_id: string;
  expires_at: string;
  person: Person & { has_password: boolean };
  /** Null if the organization does not exist, or none was named. */
  organization: { id: string; name: string } | null;
  /** Null if the person is not a member. */
  membership: { user_id: string; role: Role } | null;
}

/**
 * Minimum time between two updates of a session's last use, in seconds. If the idle timeout is short, the minimum is a
 * tenth of the timeout.
 */
const seenEverySeconds = 300;

interface SessionRow extends Person {
  has_password: boolean;
  session_id: string;
  expires_at: string;
  is_stale: boolean;
  org_id: string | null;
  org_name: string | null;
  user_id: string | null;
  role: Role | null;
}

/** Look-up for every request. It reads one row by a unique index, and joins by primary keys. */
const find = statement<SessionRow>(
  'sessions.find',
  `SELECT s.id AS session_id, s.expires_at, s.seen_at < now() - make_interval(secs => least(${seenEverySeconds}, $3::float8 / 10000)) AS is_stale,
     p.id, p.email, p.name, p.is_operator, p.password_hash IS NOT NULL AS has_password, p.created_at,
     o.id AS org_id, o.name AS org_name, m.user_id, m.role
   FROM sessions s JOIN people p ON p.id = s.person_id
   LEFT JOIN organizations o ON o.id = $2::uuid
   LEFT JOIN memberships m ON m.org_id = o.id AND m.person_id = p.id
   WHERE s.token_hash = decode($1, 'hex') AND s.ended_at IS NULL AND s.expires_at > now()
     AND s.seen_at > now() - make_interval(secs => $3::float8 / 1000)`,
);

export interface SessionLookUp {
  orgId?: string | undefined;
  idleMs: number;
  /** False for background requests of an open page; true by default. */
  isUse?: boolean;
}

/** Finds a session by the hash of its token; returns undefined if it has ended. */
export async function findSession(
  db: Db,
  tokenHash: string,
  { orgId, idleMs, isUse = true }: SessionLookUp,
): Promise<FoundSession | undefined> {
  const row = await firstRow(db, find, [tokenHash, orgId ?? null, idleMs]);
  if (!row) return undefined;
  const { session_id, expires_at, is_stale: isStale, org_id, org_name, user_id, role, ...person } = row;
  if (isStale && isUse) await db.query(touch, [session_id]);
  return {
    session_id,
    expires_at,
    person,
    organization: org_id === null ? null : { id: org_id, name: org_name! },
    membership: role === null ? null : { user_id: user_id!, role },
  };
}

const touch = statement<never>('sessions.touch', 'UPDATE sessions SET seen_at = now() WHERE id = $1');

const insert = statement<{ id: string }>(
  'sessions.insert',
  `INSERT INTO sessions (id, token_hash, person_id, ip, user_agent, expires_at)
   VALUES ($1, decode($2, 'hex'), $3, $4, $5, now() + make_interval(secs => $6::float8 / 1000)) RETURNING id`,
);

export interface Client {
  ip: string;
  userAgent: string;
}

const userAgentCharactersMax = 300;

export async function insertSession(
  db: Db,
  personId: string,
  { tokenHash, client, maxMs }: { tokenHash: string; client: Client; maxMs: number },
): Promise<void> {
  const userAgent = client.userAgent.slice(0, userAgentCharactersMax);
  await db.query(insert, [newId(), tokenHash, personId, client.ip, userAgent, maxMs]);
}

interface OpenSession {
  id: string;
  ip: string;
  user_agent: string;
  created_at: string;
  seen_at: string;
  expires_at: string;
}

/** Returns at most 100 open sessions of a person, the last used one first. */
export const listSessions = listWith<OpenSession, [personId: string, idleMs: number]>(
  'sessions.list',
  `SELECT id, ip, user_agent, created_at, seen_at, expires_at FROM sessions
   WHERE person_id = $1 AND ended_at IS NULL AND expires_at > now()
     AND seen_at > now() - make_interval(secs => $2::float8 / 1000)
   ORDER BY seen_at DESC, id DESC LIMIT 100`,
);

const end = statement<{ id: string }>(
  'sessions.end',
  'UPDATE sessions SET ended_at = now() WHERE person_id = $1 AND id = $2 AND ended_at IS NULL RETURNING id',
);

/** Ends a session of a person; returns false if there is no such open session. */
export async function endSession(db: Db, personId: string, id: string): Promise<boolean> {
  return (await db.query(end, [personId, id])).length > 0;
}

const endAll = statement<{ id: string }>(
  'sessions.end_all',
  `UPDATE sessions SET ended_at = now()
   WHERE person_id = $1 AND ended_at IS NULL AND expires_at > now() AND ($2::uuid IS NULL OR id <> $2) RETURNING id`,
);

/** Ends the sessions of a person, except the given one; returns how many. */
export async function endSessions(db: Db, personId: string, exceptId?: string): Promise<number> {
  return (await db.query(endAll, [personId, exceptId ?? null])).length;
}

const dropMax = 1_000;

const dropSessions = statement<{ id: string }>(
  'sessions.drop',
  `DELETE FROM sessions WHERE id IN (
     SELECT id FROM sessions WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT ${dropMax}) RETURNING id`,
);

/** Deletes links 30 days after they expire, so that an audit of invitations can still see them. */
const dropLinks = statement<{ kind: string }>(
  'links.drop',
  `DELETE FROM links WHERE token_hash IN (
     SELECT token_hash FROM links WHERE expires_at < now() - interval '30 days' ORDER BY expires_at LIMIT ${dropMax})
   RETURNING kind`,
);

/** Deletes sessions that expired more than a day ago, in batches, and returns their number. */
export const dropEndedSessions = (db: Db, signal: AbortSignal) => dropAll(db, dropSessions, signal);

/** Deletes links that expired more than 30 days ago, in batches, and returns their number. */
export const dropExpiredLinks = (db: Db, signal: AbortSignal) => dropAll(db, dropLinks, signal);

async function dropAll(db: Db, drop: Statement<unknown>, signal: AbortSignal): Promise<number> {
  for (let dropped = 0; ;) {
    const { length } = await db.query(drop, []);
    dropped += length;
    if (length < dropMax || signal.aborted) return dropped;
  }
}
