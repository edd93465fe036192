import { z } from 'zod';
import { emailAddress, nameText, text, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { done, time } from './shared/page.schema.ts';
import { RoleName } from './shared/permissions.ts';
import { givenPassword, Me, newPassword, Organization } from './shared/person.schema.ts';

/** Accepts the part of the link after the `#`: `relata_lnk_…`. */
const token = () => text({ min: 1, max: 100 });

const Link = z.object({
  kind: z.enum(['setup', 'invite', 'reset', 'local']),
  /** Null if the person who redeems the link chooses the address. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  organization: Organization.nullable(),
  role: RoleName.nullable(),
  /** Fields required to redeem the link. `password` is the current password of an existing person. */
  needs: z.array(z.enum(['email', 'name', 'new_password', 'password'])),
  /**
   * For a reset: the organizations of the person. If `keep` is given, redeeming the link ends all other memberships.
   */
  memberships: z.array(z.object({ organization: Organization, role: RoleName })),
  expires_at: time,
});

export type Link = z.output<typeof Link>;

/** Does not redeem the link. The token is in the body because URLs are logged. */
export const readLink = consoleOperation('post', '/enter/read', {
  permission: null,
  isPublic: true,
  body: z.strictObject({ token: token() }),
  example: { token: 'relata_lnk_…' },
  success: { status: 200, body: dataSchema(Link) },
  errors: ['link_ended'],
});

export const enter = consoleOperation('post', '/enter', {
  permission: null,
  isPublic: true,
  body: z.strictObject({
    token: token(),
    email: emailAddress().optional(),
    name: nameText().optional(),
    new_password: newPassword().optional(),
    password: givenPassword().optional(),
    /** For a reset: organizations whose membership is kept; all by default. */
    keep: z.array(uuid()).max(1_000).optional(),
  }),
  example: { token: 'relata_lnk_…', name: 'Grace Hopper', new_password: 'correct horse battery' },
  success: { status: 200, body: dataSchema(Me) },
  errors: ['link_ended', 'wrong_credentials', 'conflict'],
});

export const signIn = consoleOperation('post', '/sign-in', {
  permission: null,
  isPublic: true,
  body: z.strictObject({ email: givenPassword().meta({ format: 'email' }), password: givenPassword() }),
  example: { email: 'grace@acme.example', password: 'correct horse battery' },
  success: { status: 200, body: dataSchema(Me) },
  errors: ['wrong_credentials'],
});

export const signOut = consoleOperation('post', '/sign-out', {
  permission: null,
  success: { status: 200, body: done },
});
