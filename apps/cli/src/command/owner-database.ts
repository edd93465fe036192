import { migrationSettings, readSettings, SettingsError } from '@relata/runtime';
import { CliError } from '../output/cli.error.ts';

const insufficientPrivilege = '42501';

/** Returns the settings of the role that owns the tables. */
export function ownerSettings(environment: NodeJS.ProcessEnv = process.env) {
  const settings = readSettings(migrationSettings, environment);
  const { DATABASE_MIGRATION_URL: migrationUrl, DATABASE_APP_ROLE: appRole } = settings;
  // Otherwise the role of the running local stack would be searched in another database.
  if (migrationUrl && !environment['DATABASE_URL'])
    throw new SettingsError('DATABASE_MIGRATION_URL is set but DATABASE_URL is not: set both, for the same database.');
  return { migrationUrl, appRole };
}

/**
 * Returns a handler for errors of the role of the apps, which names the missing setting; `what` is the action that the
 * role may not perform.
 */
export function explainRights(what: string) {
  return (error: Error & { code?: string }): never => {
    if (error.code !== insufficientPrivilege) throw error;
    const message = `The database role may not ${what}: ${error.message}. Set DATABASE_MIGRATION_URL to the address of the owner.`;
    throw new CliError('configuration_error', message, { cause: error });
  };
}
