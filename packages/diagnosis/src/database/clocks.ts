import { checkOn, fault, ok, warning } from '../check.ts';
import { readClock } from './server.sql.ts';

const warningMs = 1_000;
const faultMs = 30_000;

/**
 * Compares the clocks of the database and this machine. Leases and timers use only the clock of the database; ids,
 * sessions and the validity of signatures use the clocks of the apps.
 */
export const clocks = checkOn('database', 'clocks', async ({ database, now }) => {
  const before = now();
  const { at: theirs } = await readClock(database);
  const after = now();
  // The clock of the database was read between `before` and `after`.
  const apartMs = Math.max(0, before - theirs, theirs - after);
  const found = `The clocks of the database and of this machine differ by ${(apartMs / 1_000).toFixed(1)} s.`;
  const advice = 'Synchronize the clocks of both machines with NTP.';
  if (apartMs >= faultMs) return fault(found, advice);
  return apartMs >= warningMs ? warning(found, advice) : ok(found);
});
