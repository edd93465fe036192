import { migrationSettings, readSettings, SettingsError } from '@relata/runtime';
import { CliError } from '../output/cli.error.ts';

const insufficientPrivilege = '42501';

/** Returns the settings of the role that owns the tables. */
export function ownerSettings() {
  const { DATABASE_MIGRATION_URL: migrationUrl, DATABASE_APP_ROLE: appRole } = readSettings(migrationSettings);
  // Without DATABASE_URL, the apps' connection would come from the local stack, and might lead to a different database.
  if (migrationUrl && !process.env['DATABASE_URL'])
    throw new SettingsError('DATABASE_MIGRATION_URL is set but DATABASE_URL is not: set both, for the same database.');
  return { migrationUrl, appRole };
}

/**
 * Returns an error handler for an action that may fail because the database role lacks a privilege. In that case it
 * throws an error that names the action, `what`, and the missing setting.
 */
export function explainRights(what: string) {
  return (error: Error & { code?: string }): never => {
    if (error.code !== insufficientPrivilege) throw error;
    const message = `The database role may not ${what}: ${error.message}. Set DATABASE_MIGRATION_URL to a URL with the role that owns the tables.`;
    throw new CliError('configuration_error', message, { cause: error });
  };
}
