import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 50;
/**
 * Age at which a lock is ignored, because its process id may now belong to another process. A build takes less time,
 * even on a busy machine.
 */
const heldMaxMs = 60_000;

/**
 * Runs the work while all other processes that call this function wait. Ignores the lock of a process that has ended.
 */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(lock), { recursive: true });
  while (!(await isTaken(lock))) {
    if (await isHeld(lock)) await pause(pollMs);
    else await rm(lock, { force: true });
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isHeld(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock);
    const owner = await readFile(lock, 'utf8');
    // The file is empty until its owner is written.
    return Date.now() - mtimeMs < heldMaxMs && (owner === '' || isAlive(Number(owner)));
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
