import { randomBytes } from 'node:crypto';
import { openServers } from '@relata/testbed/servers';
import type { Servers } from './replicas/test-bed.ts';

/** Starts PostgreSQL with the current schema, and NATS. */
export async function openRollingServers(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Servers> {
  const appRole = { name: 'relata_app', password: randomBytes(24).toString('base64url') };
  const settings = { max_connections: '200' };
  const { postgres, nats } = await openServers(stack, { name: 'rolling', settings, appRole, signal });
  const app = Object.assign(new URL(postgres.url), { username: appRole.name, password: appRole.password });
  return { databaseUrl: app.href, ownerUrl: postgres.url, natsUrl: nats.url };
}
