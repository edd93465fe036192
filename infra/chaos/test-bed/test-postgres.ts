import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@relata/embedded';
import { until } from '@relata/testbed/until';
import { copyPreparedPostgres } from '@relata/testing';

/** Starts a PostgreSQL that restarts on the same port. */
export async function startTestPostgres(folder: string, signal: AbortSignal) {
  const dataDir = join(folder, 'postgres');
  const log = join(folder, 'postgres.log');
  await copyPreparedPostgres(dataDir);
  let running: PostgresServer | undefined = await startPostgres({ dataDir, log, signal });
  const { url } = running;
  const port = Number(new URL(url).port);
  return {
    url,
    start: async () => void (running = await startPostgres({ dataDir, log, port, signal })),
    /** Ends the server, and returns once its port is closed. Its child processes end by themselves. */
    end: async (how: 'SIGKILL' | 'SIGINT') => {
      const ending = running;
      running = undefined;
      if (!ending) return;
      process.kill(ending.pid, how);
      await ending.exited;
      await until('the port of PostgreSQL is closed', () => isRefused(port));
    },
    /** Counts deadlocks in the log, because PostgreSQL loses its own counters when it is killed. */
    countDeadlocks: async () => (await readFile(log, 'utf8')).split('ERROR:  deadlock detected').length - 1,
    [Symbol.asyncDispose]: async () => running?.stop(),
  };
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
