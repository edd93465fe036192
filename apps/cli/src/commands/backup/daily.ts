import { setTimeout as pause } from 'node:timers/promises';
import { explain } from '../../output/operation.error.ts';
import { printWarning } from '../../output/print-result.ts';
import { type Backup, listBackups } from './backup-file.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Pause after a failure. A quick second try would not fix a full disk or a wrong password. */
const retryMs = 60 * minuteMs;

interface Daily {
  once(): Promise<Backup & { deleted: string[] }>;
  say(line: string): void;
  /** Waits for the given time; a timer by default. */
  rest?: (ms: number) => Promise<unknown>;
}

/**
 * Makes a backup every day at a time of day in UTC, and at once if there is none from the last 24 hours. Reports each
 * failure and tries again an hour later. Ends only when the process is told to stop.
 */
export async function backUpDaily(
  folder: string,
  minutesOfDay: number,
  { once, say, rest = pause }: Daily,
): Promise<never> {
  let isRetry = false;
  for (;;) {
    try {
      if (!isRetry) await rest(waitMs(Date.now(), minutesOfDay, await newestAt(folder)));
      const { database, file, bytes, seconds, deleted } = await once();
      const old = deleted.length === 0 ? '' : `; deleted ${deleted.join(', ')}`;
      say(`${new Date().toISOString()} ${file}: ${bytes} bytes of the database ${database} in ${seconds} s${old}`);
      isRetry = false;
    } catch (error) {
      const { code, message } = explain(error);
      if (message.startsWith('Stopped by')) throw error;
      printWarning(`${new Date().toISOString()} no backup was made, next try in an hour (${code}): ${message}`);
      await rest(retryMs);
      isRetry = true;
    }
  }
}

async function newestAt(folder: string): Promise<number | undefined> {
  const complete = (await listBackups(folder)).filter(({ isPart }) => !isPart);
  return complete.map(({ at }) => at).toSorted((a, b) => b - a)[0];
}

/** Returns the time until the next backup: 0 if there is no backup or the newest is more than a day old. */
export function waitMs(now: number, minutesOfDay: number, newest: number | undefined): number {
  if (newest === undefined || now - newest > dayMs) return 0;
  const today = Math.floor(now / dayMs) * dayMs + minutesOfDay * minuteMs;
  const next = today > now ? today : today + dayMs;
  return next - now;
}
