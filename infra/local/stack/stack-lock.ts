import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRunning } from '@relata/embedded';

const attemptsMax = 20;

/**
 * Program of a stack. Only the stack itself has this absolute path on its command line. The shell and the script that
 * start it have the relative path; after a restart of a container, one of them may have the process id in a stale lock.
 */
export const stackProgram = join(import.meta.dirname, '../main.ts');

/**
 * Lets one stack at a time use a checkout's data. If another stack runs, rejects with its process id. Ignores the lock
 * of a process that has ended.
 */
export async function takeStackLock(path: string): Promise<AsyncDisposable> {
  const own = `${path}.${process.pid}`;
  // The folder is missing after a fresh start, which deletes it.
  await mkdir(dirname(path), { recursive: true });
  await writeFile(own, String(process.pid));
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      if (await linked(own, path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
      await clearStale(path, own);
    }
    throw new Error(`The lock ${path} could not be created. If no stack runs here, delete it.`);
  } finally {
    await rm(own, { force: true });
  }
}

// The lock is a link to a file that is already written, so no process sees a lock without its owner.
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function clearStale(path: string, own: string): Promise<void> {
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  if (owner !== process.pid && (await isRunning(owner, [stackProgram]))) {
    throw new Error(
      `A stack of this checkout is already running (process ${owner}). Stop it first, with Ctrl-C or: kill ${owner}`,
    );
  }
  // The stale lock is renamed and read again. Otherwise, if two processes clear it at the same time, one could delete
  // the new lock of the other.
  const aside = `${own}.stale`;
  await rename(path, aside).catch(() => {});
  const moved = Number(await readFile(aside, 'utf8').catch(() => String(owner)));
  if (moved !== owner) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}
