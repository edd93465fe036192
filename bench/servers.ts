import { openServers } from '@relata/testbed/servers';
import { say } from '@relata/testbed/suite-program';
import pg from 'pg';

/** Settings of PostgreSQL that avoid checkpoints while rows are loaded, because they would slow the loading down. */
export const bulkSettings = { max_wal_size: '16GB', checkpoint_timeout: '1h' };

export function openBenchServers(stack: AsyncDisposableStack, settings: Record<string, string> = {}) {
  say('starting PostgreSQL and NATS');
  return openServers(stack, { name: 'bench', onProgress: say, settings });
}

/** Opens a connection for the bench itself; its statements have no time limit. */
export async function openAdmin(stack: AsyncDisposableStack, url: string): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  stack.defer(() => admin.end());
  return admin;
}
