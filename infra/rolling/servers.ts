import { randomBytes } from 'node:crypto';
import { migrateDatabase } from '@relata/db/migrate';
import { openServers } from '@relata/testbed/servers';
import type { Servers } from './replicas/test-bed.ts';

const appRole = 'relata_app';

/** Starts PostgreSQL with the schema of today, and NATS. */
export async function openRollingServers(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Servers> {
  const { postgres, nats } = await openServers(stack, {
    name: 'rolling',
    settings: { max_connections: '200' },
    signal,
  });
  const password = randomBytes(24).toString('base64url');
  await migrateDatabase({ url: postgres.url, appRole: { name: appRole, password } });
  const app = Object.assign(new URL(postgres.url), { username: appRole, password });
  return { databaseUrl: app.href, ownerUrl: postgres.url, natsUrl: nats.url };
}
