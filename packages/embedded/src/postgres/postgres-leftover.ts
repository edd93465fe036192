import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopStranger, type StopStep } from '../process/leftover-process.ts';

// Fast shutdown, then immediate shutdown, then the kill.
export const postgresStopSteps: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 3_000 },
  { signal: 'SIGQUIT', waitMs: 500 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/**
 * Stops a server that still uses a data folder after its supervisor was killed. Unlike the apps, such a server cannot
 * watch a channel to its supervisor, and it gets no signal if setpriv is missing.
 */
export async function stopLeftoverPostgres(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n', 1)[0]);
  if (pid > 0 && !(await stopStranger(pid, ['postgres', dataDir], postgresStopSteps))) {
    throw new Error(`PostgreSQL (process ${pid}) still uses ${dataDir} and does not stop. End it and try again.`);
  }
  await killOrphans(dataDir);
  // PostgreSQL trusts the process id in this file, and would refuse to start if another process had the same id.
  await rm(pidFile, { force: true });
}

// Kills child processes that outlived their postmaster. A child in the middle of a long statement is slow to notice
// that its postmaster was killed, and PostgreSQL does not start while the child runs. The work of the child is lost in
// any case.
async function killOrphans(dataDir: string): Promise<void> {
  const kill: readonly StopStep[] = [{ signal: 'SIGKILL', waitMs: 2_000 }];
  const pids = await processesIn(dataDir);
  await Promise.all(pids.map((pid) => stopStranger(pid, ['postgres'], kill)));
}

async function processesIn(dataDir: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => folders[index] === dataDir);
}
