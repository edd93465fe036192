import { compareSchema } from '@relata/db';
import { checkOn, fault, ok } from '../check.ts';
import { some } from '../words.ts';

/** Checks that the database has exactly the migrations of this release. */
export const schema = checkOn('database', 'schema', async ({ database }) => {
  const { level, missing, unknown } = await compareSchema(database);
  if (unknown.length > 0)
    return fault(`The database is newer than this release: it also has ${some(unknown)}.`, 'Run the newer release.');
  if (missing.length > 0)
    return fault(`The database is older than this release: it lacks ${some(missing)}.`, 'Run: relata migrate');
  return ok(`The schema matches this release: ${level}.`);
});
