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

/** The part of the link behind the `#`: `relata_lnk_…`. */
const token = () => text({ min: 1, max: 100 });

const Link = z.object({
  kind: z.enum(['setup', 'invite', 'reset', 'local']),
  /** Null if the person who redeems the link chooses the address. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  organization: Organization.nullable(),
  role: RoleName.nullable(),
  /** Required to redeem it. `password` is the password of a person who exists already. */
  needs: z.array(z.enum(['email', 'name', 'new_password', 'password'])),
  /** For a reset: organizations of the person, who leaves those that `keep` does not name. */
  memberships: z.array(z.object({ organization: Organization, role: RoleName })),
  expires_at: time,
});

export type Link = z.output<typeof Link>;

/** Does not redeem the link. The token is in the body because URLs are logged. */
export const readLink = operation({
  id: 'readLink',
  method: 'post',
  path: `${consolePath}/enter/read`,
  permission: null,
  isPublic: true,
  body: z.strictObject({ token: token() }),
  example: { token: 'relata_lnk_…' },
  success: { status: 200, body: dataOf(Link) },
  errors: ['link_ended'],
});

export const enter = operation({
  id: 'enter',
  method: 'post',
  path: `${consolePath}/enter`,
  permission: null,
  isPublic: true,
  body: z.strictObject({
    token: token(),
    email: emailText().optional(),
    name: nameText().optional(),
    new_password: newPassword().optional(),
    password: givenPassword().optional(),
    /** For a reset: organizations in which to stay a member; all unless given. */
    keep: z.array(uuid()).max(1_000).optional(),
  }),
  example: { token: 'relata_lnk_…', name: 'Grace Hopper', new_password: 'correct horse battery' },
  success: {
    status: 200,
    body: dataOf(Me),
  },
  errors: ['link_ended', 'wrong_credentials', 'conflict'],
});

export const signIn = operation({
  id: 'signIn',
  method: 'post',
  path: `${consolePath}/sign-in`,
  permission: null,
  isPublic: true,
  body: z.strictObject({ email: givenPassword().meta({ format: 'email' }), password: givenPassword() }),
  example: { email: 'grace@acme.example', password: 'correct horse battery' },
  success: { status: 200, body: dataOf(Me) },
  errors: ['wrong_credentials'],
});

export const signOut = operation({
  id: 'signOut',
  method: 'post',
  path: `${consolePath}/sign-out`,
  permission: null,
  success: { status: 200, body: done },
});
