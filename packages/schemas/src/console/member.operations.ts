import { z } from 'zod';
import { emailText, nameText } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { allOf, done, id, time } from './shared/page.schema.ts';
import { RoleName } from './shared/permissions.ts';

const members = `${orgPath}/members` as const;

export const Member = z.object({
  id: id.meta({ description: 'Also that of the user in the API.' }),
  name: z.string(),
  email: z.string(),
  role: RoleName,
  state: z.enum(['active', 'invited', 'expired']).meta({
    description: '`invited`: the link was not redeemed yet; `expired`: it cannot be any more.',
  }),
  is_you: z.boolean(),
  created_at: time.meta({ description: 'Since when they are a member, or were invited.' }),
  invited_until: time.nullable().meta({ description: 'When the link of an invitation ends.' }),
});

export type Member = z.output<typeof Member>;

export const listMembers = operation({
  id: 'listMembers',
  method: 'get',
  path: members,
  summary: 'List who may sign in to the organization, and who is invited',
  permission: 'manage',
  params: pathOrg,
  success: { status: 200, description: 'By their names; at most 1,000.', body: allOf(Member) },
});

export const inviteMember = operation({
  id: 'inviteMember',
  method: 'post',
  path: members,
  summary: 'Invite somebody by a link to be passed on',
  description: 'The link works once, for 72 hours. To invite an address again ends the link before.',
  permission: 'manage',
  answersSecret: true,
  params: pathOrg,
  body: z.strictObject({ email: emailText(), name: nameText().optional(), role: RoleName }),
  example: { email: 'alan@acme.example', name: 'Alan Turing', role: 'member' },
  success: {
    status: 201,
    description: 'The member to be, and the link, which is shown this once.',
    body: dataOf(z.object({ member: Member, link: z.url(), expires_at: time })),
  },
  errors: ['conflict'],
});

export const setMemberRole = operation({
  id: 'setMemberRole',
  method: 'post',
  path: `${members}/{id}/role`,
  summary: 'Give a member another role',
  description: 'Takes effect at the next request of the member. No session ends.',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ role: RoleName }),
  example: { role: 'admin' },
  success: { status: 200, description: 'The member as it is now.', body: dataOf(Member) },
  errors: ['conflict'],
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'post',
  path: `${members}/{id}/remove`,
  summary: 'Remove a member, or withdraw an invitation',
  description:
    'The user stays in the API, as inactive: records name it as their owner. One who was active before an invitation ' +
    'stays active when it is withdrawn.',
  permission: 'manage',
  params: pathOrgAndId,
  success: { status: 200, description: 'They are no member any more.', body: done },
  errors: ['conflict'],
});
