import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { ownerSettings } from '../../command/owner-database.ts';
import { refuseText, value, integer } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';
import { printWarning } from '../../output/print-result.ts';
import { type Backup, datedName, deleteOldBackups, filePath, writeBackup } from './backup-file.ts';
import { backUpDaily } from './daily.ts';
import { checkDumpable } from './dumped-database.ts';
import { postgresEnvironment } from './postgres-environment.ts';

/** Reads a time of day in UTC, as minutes after midnight. */
const timeOfDay = z.string().transform((text, ctx) => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) return refuseText(ctx, 'Must be a time of day, like 02:30.');
  return Number(hours) * 60 + Number(minutes);
});

export const backup = command({
  name: 'backup',
  summary: 'Dump the database into a file, while the service runs',
  arguments: {
    file: value('FILE', filePath, 'New file, or a folder, in which the file is named after the time'),
  },
  options: {
    keep_days: value(
      'N',
      integer(1, 3_650).optional(),
      'With a folder: afterwards delete backups older than N days, but never the newest N (default: delete none)',
    ),
    daily_at: value(
      'HH:MM',
      timeOfDay.optional(),
      'Keep running and back up into the folder every day at this time (UTC)',
    ),
  },
  examples: ['backup relata.dump', 'backup /backups --keep-days 7', 'backup /backups --keep-days 7 --daily-at 02:30'],
  takesAnySchema: true,
  run: async ({ databaseUrl, stack, say }, { file, keep_days: keepDays, daily_at: dailyAt }) => {
    const url = ownerSettings().migrationUrl ?? databaseUrl;
    const env = await postgresEnvironment(url, stack);
    const write = async (to: string) => {
      const database = await checkDumpable({ url, appsUrl: databaseUrl, warn: printWarning });
      return writeBackup(to, { database, env });
    };
    const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true;
    if (!isFolder && (keepDays ?? dailyAt) !== undefined)
      throw new CliError('validation_error', `--keep-days and --daily-at need a folder, but ${file} is not a folder.`);
    if (!isFolder) return write(file);
    const once = () => backUpInto(file, keepDays, write);
    return dailyAt === undefined ? once() : backUpDaily(file, dailyAt, { once, say });
  },
});

async function backUpInto(
  folder: string,
  keepDays: number | undefined,
  write: (file: string) => Promise<Backup>,
): Promise<Backup & { deleted: string[] }> {
  const now = new Date();
  const made = await write(join(folder, datedName(now)));
  if (keepDays === undefined) return { ...made, deleted: [] };
  return { ...made, deleted: await deleteOldBackups(folder, { keepDays, now: now.getTime(), warn: printWarning }) };
}
