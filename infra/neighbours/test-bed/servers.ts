import { join } from 'node:path';
import { migrateDatabase } from '@relata/db/migrate';
import { openServers as openEmpty, type Servers as EmptyServers } from '@relata/testbed/servers';
import { type ServiceProcess, startService } from '@relata/testbed/service-process';

/** PostgreSQL, NATS and the outside servers for all rows; each row has a database of its own. */
export interface Servers extends EmptyServers, AsyncDisposable {
  outside: ServiceProcess;
}

export async function openServers(signal: AbortSignal): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const settings = { track_commit_timestamp: 'on' };
  const servers = await openEmpty(stack, { name: 'neighbours', settings, signal });
  const file = new URL('./outside.worker.ts', import.meta.url);
  const outside = stack.use(await startService({ file, logFile: join(servers.folder, 'outside.log'), env: {} }));
  await migrateDatabase({ url: servers.postgres.url });
  const opened = stack.move();
  return { ...servers, outside, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
