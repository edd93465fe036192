import { checkOn, fault, ok, warning } from '../check.ts';
import { formatCount, formatNames } from '../format.ts';
import { listMissingRights, readRole } from './rights.sql.ts';

const advice =
  'Use a role in DATABASE_URL that owns nothing. Then run relata migrate with DATABASE_MIGRATION_URL to ' +
  'grant its permissions.';

/** Checks that the role of the apps has no more rights than the apps need, in case somebody breaks into an app. */
export const role = checkOn('database', 'role', async ({ database }) => {
  const { name, is_superuser: isSuperuser, owned } = await readRole(database);
  if (isSuperuser) return warning(`The role ${name} is a superuser.`, advice);
  if (owned > 0) return warning(`The role ${name} owns ${formatCount(owned, 'table')}.`, advice);
  return ok(`The role ${name} owns nothing.`);
});

/** Checks that the role of the apps has the rights that their statements need. */
export const permissions = checkOn('database', 'permissions', async ({ database }) => {
  const lacking = await listMissingRights(database);
  if (lacking.length === 0) return ok('The role has all permissions that the apps need.');
  const names = lacking.map(({ name, missing }) => `${name} (${missing})`);
  return fault(
    `The role lacks permissions: ${formatNames(names)}.`,
    'Run relata migrate with DATABASE_MIGRATION_URL to grant them.',
  );
});
