import { existsSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { runPostgresProgram, untilStopped } from './postgres-program.ts';

export interface Backup {
  /** Name of the database. */
  database: string;
  file: string;
  bytes: number;
  seconds: number;
}

/**
 * Path of a backup. Refuses `-`, which means standard input in other commands, because `pg_restore` reads a dump
 * several times.
 */
export const filePath = z
  .string()
  .min(1)
  .refine((path) => path !== '-', {
    message: 'Must be a file, not -. In a container, use a folder that is mounted, like /backups.',
    params: { code: 'invalid_format' },
  });

/** Maximum wait for a lock that a migration holds, after which the dump fails. */
const lockWaitMs = 300_000;

interface Source {
  database: string;
  /** Environment with the address of the database. */
  env: NodeJS.ProcessEnv;
}

/**
 * Dumps a database into a file. The file gets its name only when it is complete and can be read. Never
 * replaces a file. If the dump fails, no file remains; if the process is killed, FILE.part remains.
 */
export async function writeBackup(file: string, { database, env }: Source): Promise<Backup> {
  const begun = performance.now();
  const part = `${file}.part`;
  if (existsSync(file)) throw new CliError('conflict', `${file} exists already. Choose another name.`);
  await createPrivate(part);
  await untilStopped(async (signal) => {
    try {
      const words = ['--format=custom', '--no-password', `--lock-wait-timeout=${lockWaitMs}`, `--file=${part}`];
      await runPostgresProgram('pg_dump', words, { signal, env });
      await runPostgresProgram('pg_restore', ['--list', part], { signal });
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  });
  const { size } = await stat(file);
  return { database, file, bytes: size, seconds: Math.round((performance.now() - begun) / 100) / 10 };
}

/** Creates an empty file that only its owner can read, because a dump contains the data of all organizations. */
async function createPrivate(part: string): Promise<void> {
  try {
    await (await open(part, 'wx', 0o600)).close();
  } catch (error) {
    throw fileFault(error as NodeJS.ErrnoException, part);
  }
}

function fileFault(error: NodeJS.ErrnoException, file: string): CliError {
  const why = {
    EEXIST:
      'exists already: another backup is writing it, or was killed. If no backup is running, delete it and try again.',
    ENOENT: 'cannot be created: its folder does not exist.',
    EACCES: 'cannot be created: this user may not write to its folder (in the image: user 1000).',
    EROFS: 'cannot be created: its folder is read-only. In the image, use a folder that is mounted, like /backups.',
  }[error.code ?? ''];
  return new CliError('conflict', `${file} ${why ?? `cannot be created: ${error.message}`}`, { cause: error });
}

const dated = /^relata-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.dump(\.part)?$/;

/** Returns the file name of a backup that begins at this time. */
export function datedName(at: Date): string {
  return `relata-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.dump`;
}

/** Lists the files in a folder that are named like backups, with their times; unfinished ones end in `.part`. */
export async function listBackups(folder: string): Promise<{ name: string; at: number; isPart: boolean }[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, day, hour, minute, second, part] = dated.exec(name) ?? [];
    const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
    return Number.isNaN(at) ? [] : [{ name, at, isPart: part !== undefined }];
  });
}

const dayMs = 24 * 3_600_000;

interface Retention {
  keepDays: number;
  now: number;
  warn(message: string): void;
}

/**
 * Deletes backups older than `keepDays` days, and unfinished ones older than a day; returns their names. Always keeps
 * the newest `keepDays` complete backups: if there was no backup for days, or the recent ones are damaged, only old
 * ones can be restored. Warns and stops if a file cannot be deleted.
 */
export async function deleteOldBackups(folder: string, { keepDays, now, warn }: Retention): Promise<string[]> {
  const deleted: string[] = [];
  try {
    const all = await listBackups(folder);
    const complete = all.filter(({ isPart }) => !isPart).toSorted((a, b) => b.at - a.at);
    const old = complete.slice(keepDays).filter(({ at }) => at < now - keepDays * dayMs);
    const abandoned = all.filter(({ at, isPart }) => isPart && at < now - dayMs);
    for (const { name } of [...old, ...abandoned]) {
      await rm(join(folder, name), { force: true });
      deleted.push(name);
    }
  } catch (error) {
    warn(`Old backups could not be deleted: ${(error as Error).message}`);
  }
  return deleted;
}
