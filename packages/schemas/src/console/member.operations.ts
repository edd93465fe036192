import { z } from 'zod';
import { emailText, nameText } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { allOf, done, id, time } from './shared/page.schema.ts';
import { RoleName } from './shared/permissions.ts';

const members = `${orgPath}/members` as const;

export const Member = z.object({
  /** Also the id of the user in the API. */
  id,
  name: z.string(),
  email: z.string(),
  role: RoleName,
  /** `invited`: the link has not been redeemed yet. `expired`: it can no longer be redeemed. */
  state: z.enum(['active', 'invited', 'expired']),
  is_you: z.boolean(),
  created_at: time,
  invited_until: time.nullable(),
});

export type Member = z.output<typeof Member>;

export const listMembers = operation({
  id: 'listMembers',
  method: 'get',
  path: members,
  permission: 'manage',
  params: pathOrg,
  success: { status: 200, body: allOf(Member) },
});

/** The link works once, for 72 hours. Inviting an address again revokes the earlier link. */
export const inviteMember = operation({
  id: 'inviteMember',
  method: 'post',
  path: members,
  permission: 'manage',
  answersSecret: true,
  params: pathOrg,
  body: z.strictObject({ email: emailText(), name: nameText().optional(), role: RoleName }),
  example: { email: 'alan@acme.example', name: 'Alan Turing', role: 'member' },
  success: {
    status: 201,
    body: dataOf(z.object({ member: Member, link: z.url(), expires_at: time })),
  },
  errors: ['conflict'],
});

/** Takes effect with the member's next request. Sessions continue. */
export const setMemberRole = operation({
  id: 'setMemberRole',
  method: 'post',
  path: `${members}/{id}/role`,
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ role: RoleName }),
  example: { role: 'admin' },
  success: { status: 200, body: dataOf(Member) },
  errors: ['conflict'],
});

/**
 * The user stays in the API as inactive, since records refer to it as their owner. If an invitation is withdrawn, a
 * user who was active before stays active.
 */
export const removeMember = operation({
  id: 'removeMember',
  method: 'post',
  path: `${members}/{id}/remove`,
  permission: 'manage',
  params: pathOrgAndId,
  success: { status: 200, body: done },
  errors: ['conflict'],
});
