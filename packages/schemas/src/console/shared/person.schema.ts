import { z } from 'zod';
import { text } from '../../fields/text.ts';
import { id, time } from './page.schema.ts';
import { PermissionName, RoleName } from './permissions.ts';

export const Organization = z.object({ id, name: z.string() });

const Membership = z.object({
  organization: Organization,
  /** Null for an operator of the installation who is no member. */
  role: RoleName.nullable(),
  /** Id of the member among the users of the organization. */
  user_id: id.nullable(),
  permissions: z.array(PermissionName),
});

export const Me = z.object({
  person: z.object({
    id,
    email: z.string(),
    name: z.string(),
    has_password: z.boolean(),
    is_operator: z.boolean(),
    created_at: time,
  }),
  memberships: z.array(Membership),
  session: z.object({ id, expires_at: time }),
  server: z.object({
    /** Base URL of the API, the triggers and the chat, without a slash at the end. */
    public_url: z.string(),
    is_encrypted: z.boolean(),
    /** True if the browser runs on the same machine. */
    is_loopback: z.boolean(),
  }),
});

export type Me = z.output<typeof Me>;

export const Session = z.object({
  id,
  is_current: z.boolean(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: time,
  /** Precise to about 5 minutes. */
  seen_at: time,
  expires_at: time,
});

export type Session = z.output<typeof Session>;

export const passwordCharacters = { min: 12, max: 256 };

/** Accepts a new password by the rules that do not depend on the person. */
export const newPassword = () => text(passwordCharacters);

/** Accepts a password as entered, even if it breaks the rules for new passwords. */
export const givenPassword = () => text({ min: 1, max: 1_024 });
