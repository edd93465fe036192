import { checkOn, fault, ok, warning } from '../check.ts';
import { listConnectionUse } from './server.sql.ts';

/** Minimum number of free connections: a starting replica opens some. */
const leftMin = 3;
const leftShareMin = 0.2;

/**
 * Checks that a starting replica finds free connections. If there are several limits, the one with the fewest free
 * connections counts.
 */
export const connections = checkOn('database', 'connections', async ({ database }) => {
  const [tightest] = (await listConnectionUse(database))
    .map((use) => ({ ...use, left: use.most - use.used }))
    .toSorted((a, b) => a.left - b.left);
  const { what, used, most, left } = tightest!;
  const found = `${used} of ${most} connections of the ${what} are in use.`;
  const advice = `Increase the limit of the ${what}, reduce DATABASE_POOL_MAX, or use PgBouncer.`;
  if (left < leftMin) return fault(found, advice);
  return left < most * leftShareMin ? warning(found, advice) : ok(found);
});
