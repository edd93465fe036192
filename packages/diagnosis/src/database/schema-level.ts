import { compareSchema, runsOnNewer } from '@relata/db';
import { checkOn, fault, ok } from '../check.ts';
import { formatNames } from '../format.ts';

/** Checks that this release runs on the schema of the database. */
export const schema = checkOn('database', 'schema', async ({ database }) => {
  const compared = await compareSchema(database);
  const { level, missing, unknown, oldest } = compared;
  const newer = `The database is newer than this release: it also has ${formatNames(unknown)}.`;
  if (runsOnNewer(compared)) return ok(`${newer} This release runs on it.`);
  if (unknown.length > 0)
    return fault(
      `${newer} Only releases that include ${oldest === undefined ? 'them' : `migration ${oldest}`} run on it.`,
      'Run the newer release.',
    );
  if (missing.length > 0)
    return fault(`The database is older than this release: it lacks ${formatNames(missing)}.`, 'Run: relata migrate');
  return ok(`The schema matches this release: ${level}.`);
});
