import { type Db, findWith, firstRow, listWith, newId, statement } from '@relata/db';
import type { Role } from '@relata/schemas/console';

export interface Person {
  id: string;
  email: string;
  name: string;
  is_operator: boolean;
  created_at: string;
}

export interface PersonWithPassword extends Person {
  password_hash: string | null;
}

const columns = 'id, email, name, is_operator, created_at';

const insert = statement<PersonWithPassword>(
  'people.insert',
  `INSERT INTO people (id, email, email_key, name, password_hash, is_operator)
   VALUES ($1, $2, lower($2), $3, $4, $5) ON CONFLICT (email_key) DO NOTHING RETURNING ${columns}, password_hash`,
);

export interface NewPerson {
  email: string;
  name: string;
  passwordHash: string | null;
  isOperator: boolean;
}

/** Creates a person. Returns undefined if somebody already has this e-mail address. */
export function insertPerson(db: Db, made: NewPerson): Promise<PersonWithPassword | undefined> {
  return firstRow(db, insert, [newId(), made.email, made.name, made.passwordHash, made.isOperator]);
}

export const findPersonByEmail = findWith<PersonWithPassword, [email: string]>(
  'people.find_by_email',
  `SELECT ${columns}, password_hash FROM people WHERE email_key = lower($1)`,
);

/** A person whose password a visitor tries. */
export interface Candidate {
  /** The e-mail address as given. */
  email: string;
  /** Undefined if nobody has the e-mail address. */
  person: PersonWithPassword | undefined;
  /** True if the person has signed in from the visitor's IP address. */
  isKnownAddress: boolean;
}

/** Maximum number of a person's sessions, the newest first, that are searched for an IP address. */
const searchedSessionsMax = 100;

const findForSignIn = statement<PersonWithPassword & { is_known_address: boolean }>(
  'people.find_for_sign_in',
  `SELECT ${columns}, password_hash, EXISTS (
     SELECT FROM (SELECT ip FROM sessions WHERE person_id = p.id ORDER BY id DESC LIMIT ${searchedSessionsMax}) s
     WHERE s.ip = $2) AS is_known_address
   FROM people p WHERE email_key = lower($1)`,
);

export async function findCandidate(db: Db, email: string, ip: string): Promise<Candidate> {
  const [row] = await db.query(findForSignIn, [email, ip]);
  if (!row) return { email, person: undefined, isKnownAddress: false };
  const { is_known_address: isKnownAddress, ...person } = row;
  return { email, person, isKnownAddress };
}

export const findPerson = findWith<PersonWithPassword, [id: string]>(
  'people.find',
  `SELECT ${columns}, password_hash FROM people WHERE id = $1`,
);

/** Locks a person until the transaction ends, and returns the person. */
export const lockPerson = findWith<PersonWithPassword, [id: string]>(
  'people.lock',
  `SELECT ${columns}, password_hash FROM people WHERE id = $1 FOR NO KEY UPDATE`,
);

const rename = statement<never>('people.rename', 'UPDATE people SET name = $2, updated_at = now() WHERE id = $1');

export async function renamePerson(db: Db, id: string, name: string): Promise<void> {
  await db.query(rename, [id, name]);
}

const setHash = statement<never>(
  'people.set_password',
  'UPDATE people SET password_hash = $2, updated_at = now() WHERE id = $1',
);

export async function setPasswordHash(db: Db, id: string, hash: string): Promise<void> {
  await db.query(setHash, [id, hash]);
}

interface ListedPerson extends Person {
  has_password: boolean;
  memberships: { org_id: string; organization: string; role: Role }[];
}

export const listPeople = listWith<ListedPerson>(
  'people.list',
  `SELECT ${columns}, password_hash IS NOT NULL AS has_password,
     coalesce((SELECT json_agg(json_build_object('org_id', m.org_id, 'organization', o.name, 'role', m.role) ORDER BY o.name)
               FROM memberships m JOIN organizations o ON o.id = m.org_id WHERE m.person_id = p.id), '[]') AS memberships
   FROM people p ORDER BY email_key`,
);
