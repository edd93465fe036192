import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CliError } from '../../output/cli.error.ts';
import { datedName, deleteOldBackups } from './backup-file.ts';
import { backUpDaily, waitMs } from './daily.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-daily-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const at = (text: string) => Date.parse(`2026-11-26T${text}Z`);
const halfPastTwo = 2 * 60 + 30;
const hour = 3_600_000;
const daysAgo = (days: number) => datedName(new Date(Date.now() - days * 24 * hour));

test('a backup is due at once if there is none, or the newest is more than a day old (found D1)', () => {
  expect(waitMs(at('12:00:00'), halfPastTwo, undefined)).toBe(0);
  expect(waitMs(at('12:00:00'), halfPastTwo, at('12:00:00') - 24 * hour - 1)).toBe(0);
});

test('a backup is due at its time of day, today or tomorrow (found D1)', () => {
  expect(waitMs(at('02:00:00'), halfPastTwo, at('01:00:00'))).toBe(hour / 2);
  expect(waitMs(at('02:30:00'), halfPastTwo, at('02:30:00'))).toBe(24 * hour);
  expect(waitMs(at('03:30:00'), halfPastTwo, at('02:30:01'))).toBe(23 * hour);
});

type Once = Parameters<typeof backUpDaily>[2]['once'];

/** Ends the loop, as a signal does. */
const stopped = () => Promise.reject(new CliError('program_failed', 'Stopped by SIGTERM.'));

test('after a failed backup the next try is an hour later, whatever the time of day (found D1)', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await writeFile(join(folder, daysAgo(0.5)), '');
  const idlePeriods: number[] = [];
  const rest = (ms: number) => Promise.resolve(idlePeriods.push(ms));
  const once = vi.fn<Once>().mockRejectedValueOnce(new Error('No space left')).mockImplementation(stopped);
  await expect(backUpDaily(folder, halfPastTwo, { once, say: () => {}, rest })).rejects.toThrow('Stopped by SIGTERM.');
  expect(once).toHaveBeenCalledTimes(2);
  expect(idlePeriods).toEqual([expect.any(Number), hour]);
});

test('a folder that cannot be read for a while does not end the daily backups (found D1)', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const once = vi.fn<Once>(stopped);
  const rest = () => Promise.resolve();
  const daily = backUpDaily(join(folder, 'missing'), halfPastTwo, { once, say: () => {}, rest });
  await expect(daily).rejects.toThrow('Stopped by SIGTERM.');
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('no backup was made, next try in an hour'));
});

const retention = { keepDays: 7, warn: () => {} };

test('the newest 7 backups stay, however old they are, if backups are kept for 7 days (found D1)', async () => {
  const names = Array.from({ length: 10 }, (_, at) => daysAgo(20 + at));
  for (const name of [...names, daysAgo(0)]) await writeFile(join(folder, name), '');
  const deleted = await deleteOldBackups(folder, { ...retention, now: Date.now() });
  expect(deleted.toSorted()).toEqual(names.slice(6).toSorted());
  expect((await readdir(folder)).length).toBe(7);
});

test('all backups of the last 7 days stay, however many they are (found D1)', async () => {
  for (let at = 0; at < 20; at += 1) await writeFile(join(folder, daysAgo(at / 4)), '');
  expect(await deleteOldBackups(folder, { ...retention, now: Date.now() })).toEqual([]);
});

test('an old backup that cannot be deleted causes only a warning, because the new backup exists (found D1)', async () => {
  for (let at = 0; at < 7; at += 1) await writeFile(join(folder, daysAgo(at)), '');
  await mkdir(join(folder, daysAgo(9)));
  const warn = vi.fn<(message: string) => void>();
  expect(await deleteOldBackups(folder, { ...retention, now: Date.now(), warn })).toEqual([]);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('Old backups could not be deleted'));
});
