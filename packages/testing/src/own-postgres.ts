import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateDatabase } from '@relata/db/migrate';
import { startPostgres } from '@relata/embedded';
import { buildIndexes } from '@relata/records';
import { makeMemoryFolder } from './memory-folder.ts';

/**
 * Starts a PostgreSQL with our schema that a test can stop or kill without affecting others; its URL stays the same.
 */
export async function startOwnPostgres(stack: AsyncDisposableStack) {
  const folder = await makeMemoryFolder('relata-outage-');
  let port: number | undefined;
  let running: Awaited<ReturnType<typeof startPostgres>> | undefined;
  const start = async () => {
    running = await startPostgres({ dataDir: join(folder, 'postgres'), port });
    port = Number(new URL(running.url).port);
    return running.url;
  };
  const stop = async () => running?.stop();
  const kill = async () => {
    process.kill(running!.pid, 'SIGKILL');
    await running!.exited;
  };
  stack.defer(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  const url = await start();
  await migrateDatabase({ url });
  await buildIndexes({ url });
  return { url, start, stop, kill };
}
