import { type Db, findValueWith, findWith, listWith, readWith, statement } from '@relata/db';
import type { Member, Permission, Role } from '@relata/schemas/console';
import { roles } from '@relata/schemas/console';
import { nameOfUserSql } from './name.ts';

/** A member, or an invited user. */
export interface StoredMember extends Omit<Member, 'is_you'> {
  /** Null if the user has not joined yet. */
  person_id: string | null;
}

/** Maximum number of members and open invitations of an organization. */
export const membersMax = 1_000;

const columns = 'id, name, email, role, state, person_id, created_at, invited_until';

const members = `SELECT ${columns} FROM (
    SELECT m.user_id AS id, p.name, p.email, m.role, 'active' AS state, p.id AS person_id, m.created_at,
      NULL::timestamptz AS invited_until
    FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.org_id = $1
    UNION ALL
    SELECT l.user_id, ${nameOfUserSql}, u.email, l.role,
      CASE WHEN l.expires_at > now() THEN 'invited' ELSE 'expired' END, NULL, l.created_at, l.expires_at
    FROM links l JOIN users u ON u.org_id = l.org_id AND u.id = l.user_id
    WHERE l.org_id = $1 AND l.kind = 'invite' AND l.used_at IS NULL
  ) all_members`;

/** Returns at most 1,000 members and invited users, sorted by name. */
export const listMembers = listWith<StoredMember, [orgId: string]>(
  'memberships.list',
  `${members} ORDER BY lower(name), id LIMIT ${membersMax}`,
);

export const findMember = findWith<StoredMember, [orgId: string, userId: string]>(
  'memberships.find',
  `${members} WHERE id = $2`,
);

/** Returns the member with this address, or else the invited user. */
export const findMemberByEmail = findWith<StoredMember, [orgId: string, email: string]>(
  'memberships.find_by_email',
  `${members} WHERE lower(email) = lower($2) ORDER BY state, id LIMIT 1`,
);

/** Counts members and invited users. */
export const countMembers = readWith<{ n: number }, [orgId: string]>(
  'memberships.count',
  `SELECT count(*)::integer AS n FROM (${members}) counted`,
);

const lock = statement<never>('memberships.lock', 'SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE');

/** Locks the members of an organization until the transaction ends, so that the last admin can be determined. */
export async function lockMembers(db: Db, orgId: string): Promise<void> {
  await db.query(lock, [orgId]);
}

export const countMemberAdmins = readWith<{ n: number }, [orgId: string]>(
  'memberships.count_admins',
  "SELECT count(*)::integer AS n FROM memberships WHERE org_id = $1 AND role = 'admin'",
);

const insert = statement<{ user_id: string }>(
  'memberships.insert',
  `INSERT INTO memberships (org_id, person_id, user_id, role) VALUES ($1, $2, $3, $4)
   ON CONFLICT DO NOTHING RETURNING user_id`,
);

/** Adds a member. Returns false if the person or the user is a member already. */
export async function insertMembership(
  db: Db,
  orgId: string,
  { personId, userId, role }: { personId: string; userId: string; role: Role },
): Promise<boolean> {
  return (await db.query(insert, [orgId, personId, userId, role])).length > 0;
}

const setRole = statement<never>(
  'memberships.set_role',
  'UPDATE memberships SET role = $3 WHERE org_id = $1 AND user_id = $2',
);

export async function updateMembershipRole(db: Db, orgId: string, userId: string, role: Role): Promise<void> {
  await db.query(setRole, [orgId, userId, role]);
}

const remove = statement<never>('memberships.delete', 'DELETE FROM memberships WHERE org_id = $1 AND user_id = $2');

export async function deleteMembership(db: Db, orgId: string, userId: string): Promise<void> {
  await db.query(remove, [orgId, userId]);
}

/** Returns the CRM user with this e-mail address; the oldest if there are several. */
export const findUserByEmail = findWith<{ id: string; status: string }, [orgId: string, email: string]>(
  'memberships.find_user',
  'SELECT id, status FROM users WHERE org_id = $1 AND lower(email) = lower($2) ORDER BY id LIMIT 1',
);

export const findUserStatus = findValueWith<string, [orgId: string, userId: string]>(
  'memberships.user_status',
  'SELECT status FROM users WHERE org_id = $1 AND id = $2',
);

/** An organization in which a person may work; `role` is null for an operator who is not a member. */
export interface PersonMembership {
  org_id: string;
  organization: string;
  user_id: string | null;
  role: Role | null;
}

const ofPerson = statement<PersonMembership>(
  'memberships.of_person',
  `SELECT o.id AS org_id, o.name AS organization, m.user_id, m.role
   FROM memberships m JOIN organizations o ON o.id = m.org_id WHERE m.person_id = $1 ORDER BY lower(o.name), o.id LIMIT 1000`,
);

const ofOperator = statement<PersonMembership>(
  'memberships.of_operator',
  `SELECT o.id AS org_id, o.name AS organization, m.user_id, m.role
   FROM organizations o LEFT JOIN memberships m ON m.org_id = o.id AND m.person_id = $1
   ORDER BY m.role IS NULL, lower(o.name), o.id LIMIT 1000`,
);

/**
 * Returns at most 1,000 organizations of a person, sorted by name. An operator gets all organizations, their own first.
 */
export function listMemberships(
  db: Db,
  { id, is_operator: isOperator }: { id: string; is_operator: boolean },
): Promise<PersonMembership[]> {
  return db.query(isOperator ? ofOperator : ofPerson, [id]);
}

export function memberPermissions(isOperator: boolean, role: Role | null): readonly Permission[] {
  return isOperator ? [...roles.admin, 'operate'] : role === null ? [] : roles[role];
}
