import type { Db, UnitDb } from '@relata/db';
import { organizationActor, type OperationContext, systemActor, writeAuditEvent } from '@relata/events';
import { createUserIn, updateUserIn } from '@relata/records';
import { AppError, type ErrorDetail, orNotFound, validationError } from '@relata/schemas/errors';
import type { Link } from '@relata/schemas/console';
import { isWellFormed } from '@relata/auth';
import { findLink, insertLink, type MadeLink, type OpenLink, supersedeLinks, takeLink } from './link.sql.ts';
import { endMembership } from './member.operations.ts';
import {
  findMember,
  findUserByEmail,
  insertMembership,
  listMemberships,
  lockMembers,
  type PersonMembership,
} from './member.sql.ts';
import { nameOfUser } from './name.ts';
import { hashPassword, type HashTurn, isPassword, requireGoodPassword } from './password.ts';
import { findPersonByEmail, insertPerson, lockPerson, type Person } from './person.sql.ts';
import type { Client } from './session.sql.ts';
import { beginSession, replacePassword, wrongCredentials } from './sign-in.operations.ts';

type Context = Pick<OperationContext, 'database'>;

/** Creates a link with which somebody becomes an operator of the installation. */
export function makeSetupLink({ database }: Context): Promise<MadeLink> {
  return insertLink(database, { kind: 'setup' });
}

/** Creates a link with which a person sets a new password, and invalidates the previous link. Throws `not_found`. */
export async function makeResetLink({ database }: Context, email: string): Promise<MadeLink> {
  return database.transaction(async (db) => {
    const person = orNotFound(await findPersonByEmail(db, email), `There is no person ${email}.`);
    // Two concurrent calls would otherwise not invalidate each other's link.
    await lockPerson(db, person.id);
    await supersedeLinks(db, person.id, ['reset']);
    return insertLink(db, { kind: 'reset', personId: person.id });
  });
}

export interface LocalStart {
  email: string;
  name: string;
  orgIds: readonly string[];
  requestId: string;
}

/**
 * Creates a link that signs in as a person without asking for anything. A missing person is created as an operator, and
 * missing memberships of the given organizations are created as admin; existing ones stay as they are. Use it only on a
 * machine on which nobody but its owner sees the link.
 */
export async function makeLocalLink({ database }: Context, start: LocalStart): Promise<MadeLink> {
  const { email, name, orgIds, requestId } = start;
  return database.transaction(async (db) => {
    const made = { email, name, passwordHash: null, isOperator: true };
    const person = (await insertPerson(db, made)) ?? (await findPersonByEmail(db, email))!;
    for (const orgId of orgIds) await joinAsAdmin(db, systemActor(orgId, requestId), person);
    await lockPerson(db, person.id);
    await supersedeLinks(db, person.id, ['local']);
    return insertLink(db, { kind: 'local', personId: person.id });
  });
}

async function joinAsAdmin(db: UnitDb, actor: ReturnType<typeof systemActor>, person: Person): Promise<void> {
  const { orgId } = actor;
  await lockMembers(db, orgId);
  const user = { ...nameOfUser(person.name), email: person.email, role: 'admin', status: 'active' };
  const { id: userId } = (await findUserByEmail(db, orgId, person.email)) ?? (await createUserIn(db, actor, user));
  if (!(await insertMembership(db, orgId, { personId: person.id, userId, role: 'admin' }))) return;
  await writeAuditEvent(db, actor, 'member.joined', { row: (await findMember(db, orgId, userId))! });
}

/**
 * Returns the purpose of a link. Throws `link_ended`. `currentPersonId` is the id of the person who is signed in, if
 * any.
 */
export async function readLink({ database }: Context, token: string, currentPersonId?: string): Promise<Link> {
  const found = await getLink(database, token);
  const { kind, email, name, org_id, organization, role, expires_at } = found;
  const memberships =
    kind === 'reset' ? await listMemberships(database, { id: found.person_id!, is_operator: false }) : [];
  return {
    kind,
    email,
    name,
    organization: org_id === null ? null : { id: org_id, name: organization! },
    role,
    needs: needsOf(found, currentPersonId),
    memberships: memberships.map((each) => ({
      organization: { id: each.org_id, name: each.organization },
      role: each.role!,
    })),
    expires_at,
  };
}

async function getLink(db: Db, token: string): Promise<OpenLink> {
  const found = isWellFormed(token) ? await findLink(db, token) : undefined;
  if (!found) throw linkEnded();
  return found;
}

const linkEnded = () => new AppError('link_ended', 'This link was used or is no longer valid. Ask for a new one.');

/**
 * Returns the fields required to redeem a link. The inviter sees the link of an invitation, and must not be able to act
 * as an existing person. So such a link requires that person's password or session.
 */
function needsOf({ kind, person_id: personId }: OpenLink, currentPersonId: string | undefined): Link['needs'] {
  if (kind === 'setup') return ['email', 'name', 'new_password'];
  if (kind === 'reset') return ['new_password'];
  if (kind === 'local' || (personId !== null && personId === currentPersonId)) return [];
  return personId === null ? ['name', 'new_password'] : ['password'];
}

export interface Redemption {
  token: string;
  email?: string | undefined;
  name?: string | undefined;
  new_password?: string | undefined;
  password?: string | undefined;
  /** For a reset: organizations whose membership is kept; all by default. */
  keep?: readonly string[] | undefined;
}

export interface Redeeming {
  client: Client;
  maxMs: number;
  requestId: string;
  currentPersonId: string | undefined;
  /** Turn for checking the password, if the link requires one. */
  turn?: HashTurn | undefined;
}

/**
 * Redeems a link once: executes its purpose, creates a session and returns the session's token. Throws `link_ended`,
 * `validation_error` for missing fields and weak passwords, `wrong_credentials`, and `conflict` if the address is taken
 * or its owner is already a member.
 */
export async function redeemLink(context: Context, given: Redemption, redeeming: Redeeming): Promise<string> {
  const { database } = context;
  const link = await getLink(database, given.token);
  const needs = needsOf(link, redeeming.currentPersonId);
  requireGiven(needs, given);
  const turn = redeeming.turn ?? { isKnown: true, party: given.token };
  const asksPassword = needs.includes('password');
  if (asksPassword && !(await isPassword(given.password!, link.password_hash, turn))) throw wrongCredentials();
  if (needs.includes('new_password')) requireGoodPassword(given.new_password!, link.email ?? given.email!);
  const passwordHash = needs.includes('new_password') ? await hashPassword(given.new_password!, given.token) : null;
  return database.transaction(async (db) => {
    const left = link.kind === 'reset' ? await lockLeft(db, link.person_id!, given.keep) : [];
    await lockFor(db, link);
    if (!(await takeLink(db, given.token))) throw linkEnded();
    for (const membership of left) await leave(db, membership, redeeming.requestId);
    const personId = await personOf(db, link, { given, passwordHash, redeeming });
    return beginSession(db, personId, redeeming);
  });
}

function requireGiven(needs: Link['needs'], given: Redemption): void {
  const missing = needs.filter((need) => given[need] === undefined);
  if (missing.length === 0) return;
  throw validationError(
    missing.map((field): ErrorDetail => ({ in: 'body', field, code: 'required', message: 'Is required.' })),
  );
}

/**
 * Takes the same locks, in the same order, as operations that end the link. Otherwise, accepting and withdrawing an
 * invitation at the same time could deadlock.
 */
async function lockFor(db: Db, { kind, org_id: orgId, person_id: personId }: OpenLink): Promise<void> {
  if (kind === 'invite') await lockMembers(db, orgId!);
  else if (personId !== null) await lockPerson(db, personId);
}

/**
 * Locks the organizations that a person leaves and returns these memberships. Organizations are always locked before
 * people.
 */
async function lockLeft(db: Db, personId: string, keep: readonly string[] | undefined) {
  if (!keep) return [];
  const kept = new Set(keep.map((id) => id.toLowerCase()));
  const all = await listMemberships(db, { id: personId, is_operator: false });
  const left = all.filter(({ org_id: id }) => !kept.has(id)).toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1));
  for (const { org_id: orgId } of left) await lockMembers(db, orgId);
  return left;
}

/**
 * Ends a membership that the person does not keep; somebody else may have created it in their name. This may leave an
 * organization without an admin; the operator can then invite another one.
 */
async function leave(
  db: UnitDb,
  { org_id: orgId, user_id: userId }: PersonMembership,
  requestId: string,
): Promise<void> {
  const member = await findMember(db, orgId, userId!);
  if (member) await endMembership(db, systemActor(orgId, requestId), member);
}

interface Prepared {
  given: Redemption;
  passwordHash: string | null;
  redeeming: Redeeming;
}

/** Creates or changes the person that the link is for, and returns the id of that person. */
async function personOf(db: UnitDb, link: OpenLink, prepared: Prepared): Promise<string> {
  const { given, passwordHash } = prepared;
  if (link.kind === 'invite') return join(db, link, prepared);
  if (link.kind === 'setup') {
    const made = { email: given.email!, name: given.name!, passwordHash, isOperator: true };
    return ((await insertPerson(db, made)) ?? addressTaken(given.email!)).id;
  }
  if (passwordHash !== null) await replacePassword(db, link.person_id!, passwordHash);
  return link.person_id!;
}

/** Makes the invited user a member. */
async function join(db: UnitDb, link: OpenLink, { given, passwordHash, redeeming }: Prepared): Promise<string> {
  const [orgId, userId, role, email] = [link.org_id!, link.user_id!, link.role!, link.email!];
  const made = { email, name: given.name ?? email, passwordHash, isOperator: false };
  const person =
    link.person_id === null
      ? ((await insertPerson(db, made)) ?? addressTaken(email))
      : (await lockPerson(db, link.person_id))!;
  // If the password was changed meanwhile, neither the compared password nor the session is valid.
  if (link.person_id !== null && person.password_hash !== link.password_hash) throw wrongCredentials();
  if (!(await insertMembership(db, orgId, { personId: person.id, userId, role })))
    throw new AppError('conflict', `${email} is already a member. Sign in.`);
  const author = { kind: 'user', userId, name: person.name, requestId: redeeming.requestId } as const;
  const actor = organizationActor(author, orgId);
  await updateUserIn(db, actor, userId, { ...nameOfUser(person.name), role, status: 'active' });
  await writeAuditEvent(db, actor, 'member.joined', { row: (await findMember(db, orgId, userId))! });
  return person.id;
}

function addressTaken(email: string): never {
  throw new AppError('conflict', `There is already an account for ${email}.`);
}
