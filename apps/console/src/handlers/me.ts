import { isIP } from 'node:net';
import { listMemberships, memberPermissions } from '@relata/people';
import type { Me } from '@relata/schemas/console';
import type { SignedIn } from '../session/console-caller.ts';
import type { ConsoleContext } from './console-context.ts';

export async function describeMe({ database, publicUrl }: ConsoleContext, caller: SignedIn): Promise<{ data: Me }> {
  const { person, session_id, expires_at } = caller.session;
  const memberships = await listMemberships(database, person);
  return {
    data: {
      person,
      memberships: memberships.map(({ org_id, organization, user_id, role }) => ({
        organization: { id: org_id, name: organization },
        role,
        user_id,
        permissions: [...memberPermissions(person.is_operator, role)],
      })),
      session: { id: session_id, expires_at },
      server: {
        public_url: publicUrl ?? caller.origin,
        is_encrypted: caller.isSecure,
        is_loopback: isLoopback(caller.client.ip),
      },
    },
  };
}

const isLoopback = (ip: string) => (isIP(ip) === 4 ? ip.startsWith('127.') : ip === '::/64');
