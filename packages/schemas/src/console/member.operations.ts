import { z } from 'zod';
import { emailAddress, nameText } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, done, id, time } from './shared/page.schema.ts';
import { RoleName } from './shared/permissions.ts';

const Member = z.object({
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

export const listMembers = consoleOperation('get', '/orgs/{org}/members', {
  permission: 'manage',
  success: { status: 200, body: wholeListSchema(Member) },
});

/** The link works once, for 72 hours. Inviting an address again revokes the earlier link. */
export const inviteMember = consoleOperation('post', '/orgs/{org}/members', {
  permission: 'manage',
  answersSecret: true,
  body: z.strictObject({ email: emailAddress(), name: nameText().optional(), role: RoleName }),
  example: { email: 'alan@acme.example', name: 'Alan Turing', role: 'member' },
  success: { status: 201, body: dataSchema(z.object({ member: Member, link: z.url(), expires_at: time })) },
  errors: ['conflict'],
});

/** Takes effect with the member's next request. Sessions continue. */
export const setMemberRole = consoleOperation('post', '/orgs/{org}/members/{id}/role', {
  permission: 'manage',
  body: z.strictObject({ role: RoleName }),
  example: { role: 'admin' },
  success: { status: 200, body: dataSchema(Member) },
  errors: ['conflict'],
});

/**
 * The user stays in the API as inactive, since records refer to it as their owner. If an invitation is withdrawn, a
 * user who was active before stays active.
 */
export const removeMember = consoleOperation('post', '/orgs/{org}/members/{id}/remove', {
  permission: 'manage',
  success: { status: 200, body: done },
  errors: ['conflict'],
});
