import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 50;
/**
 * Age at which a lock is ignored, because its process id may now belong to another process. A build takes less time,
 * even on a busy machine.
 */
const heldMaxMs = 60_000;

/**
 * Runs the work while all other processes that call this function wait. Ignores the lock of a process that has ended.
 *
 * The lock is a folder that contains a file named after its owner. A rename puts the folder in place together with the
 * file, and fails while the file of another owner is there. Clearing a lock deletes only the file of an owner that has
 * ended, so it never clears a lock that was taken in the meantime.
 */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  const owner = `${process.pid}-${randomUUID()}`;
  const own = `${lock}-${owner}`;
  await mkdir(own, { recursive: true });
  try {
    while (!(await isTaken(lock, own, owner))) {
      await pause(pollMs);
      await clearEnded(lock);
    }
    return await work();
  } finally {
    for (const left of [own, join(lock, owner)]) await rm(left, { recursive: true, force: true });
  }
}

async function isTaken(lock: string, own: string, owner: string): Promise<boolean> {
  // Written at each attempt, because the age of the lock is that of the file.
  await writeFile(join(own, owner), '');
  try {
    await rename(own, lock);
    return true;
  } catch (error) {
    if (isError(error, 'ENOTEMPTY') || isError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Deletes the file of an owner that has ended. */
async function clearEnded(lock: string): Promise<void> {
  try {
    for (const owner of await readdir(lock)) if (!(await isHeld(lock, owner))) await rm(join(lock, owner));
  } catch (error) {
    // Its owner, or another caller, has deleted it.
    if (!isError(error, 'ENOENT')) throw error;
  }
}

async function isHeld(lock: string, owner: string): Promise<boolean> {
  const { mtimeMs } = await stat(join(lock, owner));
  return Date.now() - mtimeMs < heldMaxMs && isAlive(Number.parseInt(owner, 10));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isError(error, 'EPERM');
  }
}

function isError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
