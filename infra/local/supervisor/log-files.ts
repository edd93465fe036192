import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { paths } from '../paths.ts';

/** Returns the path of a new log for this run of a process. Renames the log of the previous run to `.1`. */
export async function freshLog(name: string): Promise<string> {
  await mkdir(paths.logs, { recursive: true });
  const file = join(paths.logs, `${name}.log`);
  await rename(file, `${file}.1`).catch(() => {});
  return file;
}
