import { z } from 'zod';
import { id, time } from './page.schema.ts';
import { PermissionName, RoleName } from './permissions.ts';

export const Organization = z.object({ id, name: z.string() });

const Membership = z.object({
  organization: Organization,
  role: RoleName.nullable().meta({ description: '`null`: no member, but an operator of the installation.' }),
  user_id: id.nullable().meta({ description: 'The member among the users of the organization.' }),
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
  memberships: z
    .array(Membership)
    .meta({ description: 'By the name of the organization; of an operator all of them.' }),
  session: z.object({ id, expires_at: time.meta({ description: 'When it ends, at the latest.' }) }),
  server: z.object({
    public_url: z
      .string()
      .meta({ description: 'Where the API, triggers and the chat are, without a slash at the end.' }),
    is_encrypted: z.boolean().meta({ description: 'Whether the browser came by https.' }),
    is_loopback: z.boolean().meta({ description: 'Whether it came from this very machine.' }),
  }),
});

export type Me = z.output<typeof Me>;

export const Session = z.object({
  id,
  is_current: z.boolean(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: time,
  seen_at: time.meta({ description: 'When it was last used, to about 5 minutes.' }),
  expires_at: time.meta({ description: 'When it ends, at the latest.' }),
});

export type Session = z.output<typeof Session>;
