import { z } from 'zod';
import { emailText, nameText, text, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { consolePath } from './shared/console-path.ts';
import { done, time } from './shared/page.schema.ts';
import { RoleName } from './shared/permissions.ts';
import { Me, Organization } from './shared/person.schema.ts';

export const passwordCharacters = { min: 12, max: 256 };

/** A password to be: the rules that do not depend on whose it is. */
export const newPassword = () => text(passwordCharacters);

/** A password as it was given, which may be wrong in any way. */
export const givenPassword = () => text({ min: 1, max: 1_024 });

const token = () =>
  text({ min: 1, max: 100 }).meta({ description: 'What stands behind the `#` of the link: `relata_lnk_…`.' });

const Link = z.object({
  kind: z.enum(['setup', 'invite', 'reset', 'local']),
  email: z.string().nullable().meta({ description: 'Whose it is; `null` where the one who redeems it says so.' }),
  name: z.string().nullable(),
  organization: Organization.nullable().meta({ description: 'Of an invitation.' }),
  role: RoleName.nullable().meta({ description: 'Of an invitation.' }),
  needs: z.array(z.enum(['email', 'name', 'new_password', 'password'])).meta({
    description: 'What must be given to redeem it. `password` is that of the person who is there already.',
  }),
  memberships: z.array(z.object({ organization: Organization, role: RoleName })).meta({
    description: 'Of a reset: what the person is a member of. They leave what `keep` does not name.',
  }),
  expires_at: time,
});

export type Link = z.output<typeof Link>;

export const readLink = operation({
  id: 'readLink',
  method: 'post',
  path: `${consolePath}/enter/read`,
  summary: 'Show what a one-time link is for',
  description: 'Does not redeem it. The token is in a body, because addresses are logged.',
  permission: null,
  isPublic: true,
  body: z.strictObject({ token: token() }),
  example: { token: 'relata_lnk_…' },
  success: { status: 200, description: 'What the link is for.', body: dataOf(Link) },
  errors: ['link_ended'],
});

export const enter = operation({
  id: 'enter',
  method: 'post',
  path: `${consolePath}/enter`,
  summary: 'Redeem a one-time link, and be signed in',
  permission: null,
  isPublic: true,
  body: z.strictObject({
    token: token(),
    email: emailText().optional(),
    name: nameText().optional(),
    new_password: newPassword().optional(),
    password: givenPassword().optional(),
    keep: z.array(uuid()).max(1_000).optional().meta({
      description: 'Of a reset: ids of the organizations in which to stay a member; all unless given.',
    }),
  }),
  example: { token: 'relata_lnk_…', name: 'Grace Hopper', new_password: 'correct horse battery' },
  success: {
    status: 200,
    description: 'Who is signed in now; the cookie is set, and every other session of a reset password has ended.',
    body: dataOf(Me),
  },
  errors: ['link_ended', 'wrong_credentials', 'conflict'],
});

export const signIn = operation({
  id: 'signIn',
  method: 'post',
  path: `${consolePath}/sign-in`,
  summary: 'Sign in',
  permission: null,
  isPublic: true,
  body: z.strictObject({ email: givenPassword().meta({ format: 'email' }), password: givenPassword() }),
  example: { email: 'grace@acme.example', password: 'correct horse battery' },
  success: { status: 200, description: 'Who is signed in now; the cookie is set.', body: dataOf(Me) },
  errors: ['wrong_credentials'],
});

export const signOut = operation({
  id: 'signOut',
  method: 'post',
  path: `${consolePath}/sign-out`,
  summary: 'End this session',
  permission: null,
  success: { status: 200, description: 'It has ended; the cookie is taken away.', body: done },
});
