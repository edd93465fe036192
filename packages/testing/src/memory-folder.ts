import { mkdtemp, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memoryDisk = '/dev/shm';
const roomBytesMin = 4 * 1024 ** 3;

/**
 * Creates a folder for the data of a test server, which need not survive a restart of the machine. The folder is in
 * memory if Linux has 4 GiB free there, because copying a database then takes a tenth of the time. The default 64 MB of
 * a container are not enough.
 */
export async function makeMemoryFolder(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoom()) ? memoryDisk : tmpdir(), prefix));
}

async function hasRoom(): Promise<boolean> {
  if (process.platform !== 'linux' || freemem() < roomBytesMin) return false;
  return statfs(memoryDisk).then(
    ({ bavail, bsize }) => bavail * bsize >= roomBytesMin,
    () => false,
  );
}
