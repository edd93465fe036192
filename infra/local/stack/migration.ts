import { migrateDatabase, migrationTarget } from '@relata/db/migrate';
import { buildIndexes } from '@relata/records';
import { migrationSettings, readSettings } from '@relata/runtime';
import { keptSecret } from '../kept-secrets.ts';
import { paths } from '../paths.ts';

const appRoleName = 'relata_app';

/** A migrated database, and the address by which the apps connect to it. */
interface MigratedDatabase {
  appUrl: string;
  ownerUrl: string;
  migrated: string[];
}

export interface MigrationOptions {
  /** Address of the embedded database for its owner, or of the user's own database. */
  url: string;
  isEmbedded: boolean;
  say: (line: string) => void;
}

/** Migrates the database, and returns the address with which the apps connect to it. */
export async function migrate({ url, isEmbedded, say }: MigrationOptions): Promise<string> {
  try {
    const { appUrl, ownerUrl, migrated } = await (isEmbedded ? migrateEmbedded(url) : migrateOwn(url, process.env));
    if (migrated.length > 0) say(`brought the database up to date (${migrated.length} migrations)`);
    const { failed } = await buildIndexes({ url: ownerUrl });
    for (const { name, error } of failed) say(`could not build the index ${name}: ${error.message}`);
    return appUrl;
  } catch (cause) {
    // If every address of a host name refuses the connection, the error has no message.
    const reason = cause instanceof AggregateError ? cause.errors.join('; ') : String(cause);
    throw new Error(`The database could not be brought up to date: ${reason}`, { cause });
  }
}

/**
 * Migrates as the owner. The apps get a role that only reads and writes rows. The migration creates the role if it is
 * missing, and always sets the password that is stored here.
 */
async function migrateEmbedded(url: string): Promise<MigratedDatabase> {
  const password = await keptSecret(paths.appPassword);
  const migrated = await migrateDatabase({ url, appRole: { name: appRoleName, password, setsPassword: true } });
  const appUrl = new URL(url);
  Object.assign(appUrl, { username: appRoleName, password });
  return { appUrl: appUrl.href, ownerUrl: url, migrated };
}

/** Migrates the user's own database. The apps connect to it by the given address. */
async function migrateOwn(databaseUrl: string, environment: NodeJS.ProcessEnv): Promise<MigratedDatabase> {
  const settings = readSettings(migrationSettings, environment);
  const { DATABASE_MIGRATION_URL: migrationUrl, DATABASE_APP_ROLE: appRole } = settings;
  const target = migrationTarget({ databaseUrl, migrationUrl, appRole });
  const migrated = await migrateDatabase(target);
  return { appUrl: databaseUrl, ownerUrl: target.url, migrated };
}
