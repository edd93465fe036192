import type { Db, UnitDb } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { createUserIn, updateUserIn } from '@relata/records';
import { emailAddress, nameText, uuid } from '@relata/schemas';
import { countText } from '@relata/schemas/count-text';
import { AppError, orNotFound } from '@relata/schemas/errors';
import { type Role, RoleName } from '@relata/schemas/console';
import { z } from 'zod';
import { insertLink, type MadeLink, withdrawInvitations } from './link.sql.ts';
import {
  countMemberAdmins,
  countMembers,
  deleteMembership,
  findMember,
  findMemberByEmail,
  findUserByEmail,
  lockMembers,
  membersMax,
  type StoredMember,
  updateMembershipRole,
  findUserStatus,
} from './member.sql.ts';
import { nameOfUser } from './name.ts';

type Context = Pick<OperationContext, 'database'>;

const Invitation = z.strictObject({ email: emailAddress(), name: nameText().optional(), role: RoleName });

/**
 * Invites somebody to the organization: creates a link, and invalidates earlier links for the same user. Throws
 * `conflict` for a member, and if the organization has `membersMax` members and invitations.
 */
export async function inviteMember(
  { database }: Context,
  actor: Actor,
  input: z.input<typeof Invitation>,
): Promise<{ member: StoredMember; link: MadeLink }> {
  const { email, name, role } = readInput(Invitation, input);
  const { orgId } = actor;
  return database.transaction(async (db) => {
    await lockMembers(db, orgId);
    if ((await findMemberByEmail(db, orgId, email))?.state === 'active')
      throw new AppError('conflict', `${email} is already a member.`);
    const userId = await userToInvite(db, actor, { email, name, role });
    await withdrawInvitations(db, orgId, userId);
    await requireRoom(db, orgId);
    const link = await insertLink(db, { kind: 'invite', orgId, userId, role });
    const member = (await findMember(db, orgId, userId))!;
    await writeAuditEvent(db, actor, 'member.invited', { row: member });
    return { member, link };
  });
}

async function requireRoom(db: Db, orgId: string): Promise<void> {
  if ((await countMembers(db, orgId)).n < membersMax) return;
  throw new AppError(
    'conflict',
    `There are ${countText(membersMax)} members and invitations, which is the limit. Remove one first.`,
  );
}

interface Invited {
  email: string;
  name: string | undefined;
  role: Role;
}

/** Returns the existing user with this address, or a new one. */
async function userToInvite(db: UnitDb, actor: Actor, { email, name, role }: Invited): Promise<string> {
  const found = await findUserByEmail(db, actor.orgId, email);
  if (found) {
    const patch = {
      ...(name !== undefined && nameOfUser(name)),
      ...(found.status !== 'active' && { status: 'invited' }),
    };
    if (Object.keys(patch).length > 0) await updateUserIn(db, actor, found.id, patch);
    return found.id;
  }
  const made = { ...nameOfUser(name ?? email.split('@')[0]!), email, role, status: 'invited' };
  return (await createUserIn(db, actor, made)).id;
}

const NewRole = z.strictObject({ id: uuid(), role: RoleName });

/**
 * Changes the role of a member. Each request looks up the role, so the change takes effect immediately and no session
 * ends: sessions belong to the person, who may work in other organizations. Throws `conflict` for the last admin, and
 * for somebody who has not joined yet.
 */
export async function setMemberRole(
  { database }: Context,
  actor: Actor,
  input: z.input<typeof NewRole>,
): Promise<StoredMember> {
  const { id, role } = readInput(NewRole, input);
  const { orgId } = actor;
  return database.transaction(async (db) => {
    await lockMembers(db, orgId);
    const before = await getMember(db, orgId, id);
    if (before.person_id === null)
      throw new AppError('conflict', `${before.email} has not joined yet. Invite them again, as ${role}.`);
    if (before.role === role) return before;
    await requireOtherAdmin(db, orgId, before);
    await updateMembershipRole(db, orgId, id, role);
    await updateUserIn(db, actor, id, { role });
    const row = { ...before, role };
    await writeAuditEvent(db, actor, 'member.role_changed', { before, row });
    return row;
  });
}

/**
 * Removes a member, or withdraws an invitation. The user stays as inactive, since records refer to it. A user who was
 * active before an invitation stays active. Throws `conflict` for the last admin.
 */
export async function removeMember({ database }: Context, actor: Actor, id: string): Promise<StoredMember> {
  const { orgId } = actor;
  return database.transaction(async (db) => {
    await lockMembers(db, orgId);
    const member = await getMember(db, orgId, id);
    await requireOtherAdmin(db, orgId, member);
    await endMembership(db, actor, member);
    return member;
  });
}

/** Ends a membership or an invitation. Call it while the members of the organization are locked. */
export async function endMembership(db: UnitDb, actor: Actor, member: StoredMember): Promise<void> {
  const { orgId } = actor;
  const { id, state } = member;
  await withdrawInvitations(db, orgId, id);
  await deleteMembership(db, orgId, id);
  if (state === 'active' || (await findUserStatus(db, orgId, id)) === 'invited')
    await updateUserIn(db, actor, id, { status: 'inactive' });
  await writeAuditEvent(db, actor, 'member.removed', { row: member });
}

const getMember = async (db: Db, orgId: string, id: string) =>
  orNotFound(await findMember(db, orgId, id), `There is no member ${id}.`);

async function requireOtherAdmin(db: Db, orgId: string, { role, state, email }: StoredMember): Promise<void> {
  if (role !== 'admin' || state !== 'active' || (await countMemberAdmins(db, orgId)).n > 1) return;
  throw new AppError('conflict', `${email} is the last admin. Make somebody else an admin first.`);
}
