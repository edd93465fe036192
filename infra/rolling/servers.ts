import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '@relata/db/migrate';
import { startNats, startPostgres } from '@relata/embedded';
import { paths } from '../local/paths.ts';
import type { Servers } from './replicas/test-bed.ts';

const appRole = 'relata_app';

/** PostgreSQL with the schema of today, and NATS, in a folder that is deleted afterwards. */
export async function openServers(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Servers> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'relata-rolling-')));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755);
  const settings = { max_connections: '200' };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings, signal });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: paths.bin, signal });
  stack.defer(() => nats.stop());
  const password = randomBytes(24).toString('base64url');
  await migrateDatabase({ url: postgres.url, appRole: { name: appRole, password } });
  const app = Object.assign(new URL(postgres.url), { username: appRole, password });
  return { databaseUrl: app.href, ownerUrl: postgres.url, natsUrl: nats.url };
}
