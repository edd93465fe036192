import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@relata/embedded';
import { makeMemoryFolder } from './memory-folder.ts';
import { copyPreparedPostgres } from './prepared-postgres.ts';

/**
 * Starts a PostgreSQL server with our schema, which a test can stop or kill without affecting other tests. The URL
 * stays the same after a restart.
 */
export async function startOwnPostgres(stack: AsyncDisposableStack) {
  const folder = await makeMemoryFolder('relata-outage-');
  const dataDir = join(folder, 'postgres');
  await copyPreparedPostgres(dataDir);
  let port: number | undefined;
  let running: Awaited<ReturnType<typeof startPostgres>> | undefined;
  const start = async () => {
    running = await startPostgres({ dataDir, port });
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
  return { url: await start(), start, stop, kill };
}
