import { migrateDatabase, migrationTarget } from '@relata/db/migrate';
import { migrationSettings, readSettings } from '@relata/runtime';
import { paths } from '../paths.ts';
import { keptSecret } from '../kept-secrets.ts';

const appRoleName = 'relata_app';

/** A database that is up to date, and how the apps get into it. */
export interface MigratedDatabase {
  appUrl: string;
  migrated: string[];
}

/**
 * Brings the embedded database up to date as its owner. The apps get a role that reads and writes rows and nothing else: made
 * where an earlier release had none, and with the password that is kept here whatever it had.
 */
export async function migrateEmbedded(url: string): Promise<MigratedDatabase> {
  const password = await keptSecret(paths.appPassword);
  const migrated = await migrateDatabase({ url, appRole: { name: appRoleName, password, setsPassword: true } });
  const appUrl = new URL(url);
  Object.assign(appUrl, { username: appRoleName, password });
  return { appUrl: appUrl.href, migrated };
}

/** Brings a database of the user's own up to date; the apps connect to it by the address that was given. */
export async function migrateOwn(databaseUrl: string, environment: NodeJS.ProcessEnv): Promise<MigratedDatabase> {
  const settings = readSettings(migrationSettings, environment);
  const { DATABASE_MIGRATION_URL: migrationUrl, DATABASE_APP_ROLE: appRole } = settings;
  const migrated = await migrateDatabase(migrationTarget({ databaseUrl, migrationUrl, appRole }));
  return { appUrl: databaseUrl, migrated };
}
