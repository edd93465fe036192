import {
  findMemberByEmail,
  inviteMember,
  listPeople,
  type MadeLink,
  makeResetLink,
  makeSetupLink,
  removeMember,
  setMemberRole,
} from '@relata/people';
import type { Db } from '@relata/db';
import { emailAddress, nameText } from '@relata/schemas';
import { type Role, RoleName, roleNames } from '@relata/schemas/console';
import { orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import { command, type CommandContext, type CommandGroup } from '../../command/command.ts';
import { hinted } from '../../output/operation.error.ts';
import { anyOrganization, org } from '../orgs/organization-option.ts';
import { flag, value } from '../../command/parameter.ts';
import { findStackOn } from '../../command/stack-file.ts';

const email = value('EMAIL', emailAddress(), 'E-mail address');
const role = value('ROLE', RoleName, `Role: ${roleNames.join(', ')}`);
const url = {
  ...value('URL', z.url().optional(), 'Address of the console (default: that of the running local stack)'),
  env: 'CONSOLE_URL',
};
const listHint = 'See: relata people list';

/** Returns a link to pass on: the full URL, or only its path if the address of the console is unknown. */
function shownLink({ databaseUrl }: CommandContext, { token, expires_at }: MadeLink, base: string | undefined) {
  const origin = base ?? findStackOn(databaseUrl)?.base_url ?? '';
  return { link: `${origin.replace(/\/$/, '')}/console/enter#${token}`, expires_at };
}

const note = ({ link, expires_at }: ReturnType<typeof shownLink>) =>
  `The link works once, until ${expires_at}, and is shown only once: pass it on now.` +
  (link.startsWith('/') ? ' Put the address of the console before the link.' : '');

const list = command({
  name: 'list',
  summary: 'List people who can sign in to the console, and their memberships',
  examples: ['people list'],
  columns: ['email', 'name', 'is_operator', 'memberships', 'created_at'],
  run: async ({ database }) =>
    (await listPeople(database)).map(({ memberships, ...person }) => ({
      ...person,
      memberships: memberships.map(({ organization, role: held }) => `${organization}: ${held}`),
    })),
});

interface Invitation {
  org: string;
  email: string;
  role: Role;
  name?: string | undefined;
  url: string | undefined;
}

async function inviteTo(context: CommandContext, { org: orgId, url: base, ...given }: Invitation) {
  const { member, link: made } = await inviteMember(context, context.actorIn(orgId), given);
  return { member, shown: shownLink(context, made, base) };
}

const link = command({
  name: 'link',
  summary: 'Create a link for a new operator, who has all permissions, or for a new member',
  options: {
    operator: flag('For an operator: confirms that the link grants full access to all organizations'),
    // Without a default from the environment, because --operator cannot be combined with an organization.
    org: { ...anyOrganization, description: 'For a member: id or name of the organization' },
    role: value('ROLE', RoleName.optional(), `For a member: the role, ${roleNames.join(', ')}`),
    email: value('EMAIL', emailAddress().optional(), 'For a member: the e-mail address'),
    url,
  },
  examples: ['people link --operator', 'people link --org ORG_ID --role viewer --email grace@example.com'],
  check: ({ operator, ...given }) => {
    const missing = (['org', 'role', 'email'] as const).filter((name) => given[name] === undefined);
    if (operator) return missing.length === 3 ? undefined : 'Give --operator, or --org, --role and --email, not both.';
    return missing.length === 0
      ? undefined
      : `A member's link also needs --${missing.join(', --')}. For an operator's link, give --operator.`;
  },
  run: async (context, { operator, org: orgId, role: as, email: whose, url: base }) => {
    if (operator) return shownLink(context, await makeSetupLink(context), base);
    return (await inviteTo(context, { org: orgId!, role: as!, email: whose!, url: base })).shown;
  },
  note,
});

const reset = command({
  name: 'reset',
  summary: 'Create a link for setting a new password',
  arguments: { email },
  options: { url },
  examples: ['people reset grace@example.com'],
  run: async (context, { email: whose, url: base }) => {
    const made = await hinted(makeResetLink(context, whose), { not_found: listHint });
    return shownLink(context, made, base);
  },
  note,
});

const invite = command({
  name: 'invite',
  summary: 'Create a link for a new member of an organization',
  arguments: { email },
  options: { org, role, name: value('NAME', nameText().optional(), 'Their name'), url },
  examples: ['people invite grace@example.com --org ORG_ID --role admin'],
  run: async (context, given) => {
    const { member, shown } = await inviteTo(context, given);
    return { id: member.id, email: member.email, role: member.role, ...shown };
  },
  note,
});

const setRole = command({
  name: 'role',
  summary: 'Give a member another role',
  arguments: { email, role },
  options: { org },
  examples: ['people role grace@example.com viewer --org ORG_ID'],
  run: async (context, { email: whose, role: next, org: orgId }) => {
    const id = await memberId(context.database, orgId, whose);
    const { person_id: _, ...member } = await setMemberRole(context, context.actorIn(orgId), { id, role: next });
    return member;
  },
});

const remove = command({
  name: 'remove',
  summary: 'Remove a member from an organization, or withdraw an invitation',
  arguments: { email },
  options: { org },
  examples: ['people remove grace@example.com --org ORG_ID'],
  run: async (context, { email: whose, org: orgId }) => {
    const id = await memberId(context.database, orgId, whose);
    const { person_id: _, ...member } = await removeMember(context, context.actorIn(orgId), id);
    return { ...member, state: 'removed' };
  },
});

async function memberId(db: Db, orgId: string, whose: string): Promise<string> {
  const message = `${whose} is not a member of the organization. ${listHint}`;
  return orNotFound(await findMemberByEmail(db, orgId, whose), message).id;
}

export const people: CommandGroup = {
  name: 'people',
  summary: 'People who can sign in to the console',
  commands: [list, link, reset, invite, setRole, remove],
};
