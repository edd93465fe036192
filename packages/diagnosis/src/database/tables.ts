import { checkOn, ok, warning } from '../check.ts';
import { formatNames } from '../format.ts';
import { listBloated, listUnanalyzed } from './tables.sql.ts';

/** Checks that the planner has statistics about the tables. */
export const statistics = checkOn('database', 'statistics', async ({ database }) => {
  const tables = await listUnanalyzed(database);
  if (tables.length === 0) return ok('All larger tables were analyzed.');
  const names = tables.map(({ name, live }) => `${name} (${live} rows)`);
  return warning(
    `Never analyzed: ${formatNames(names)}.`,
    'Run ANALYZE as the owner, and check that autovacuum is on.',
  );
});

/** Checks that dead rows are cleaned up. */
export const deadRows = checkOn('database', 'dead-rows', async ({ database }) => {
  const tables = await listBloated(database);
  if (tables.length === 0) return ok('Autovacuum keeps up.');
  const names = tables.map(({ name, dead, live }) => `${name} (${dead} dead, ${live} live)`);
  return warning(
    `Dead rows pile up: ${formatNames(names)}.`,
    'Run VACUUM as the owner. Look for transactions that stay open, and increase the number of autovacuum workers.',
  );
});
