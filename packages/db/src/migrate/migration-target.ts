import type { AppRole } from './app-role.ts';

/** The database to migrate, and the role of the apps that gets access to its tables. */
export interface MigrateOptions {
  /** Database URL of the role that owns the tables. */
  url: string;
  /** Role with which the apps connect, if it is not the owner. */
  appRole?: AppRole | undefined;
  /** Receives a line each time a migration waits. */
  log?: (line: string) => void;
  /** Receives each change of rights: `granted INSERT/SELECT on table contacts to relata_app`. */
  onRights?: ((change: string) => void) | undefined;
}

export interface MigrationSettings {
  /** Database URL of the apps. */
  databaseUrl: string;
  /** Database URL of the owner of the tables; `databaseUrl` by default. */
  migrationUrl?: string | undefined;
  /** Role of the apps; the user of `databaseUrl` by default. */
  appRole?: string | undefined;
}

/** Returns the database URL for migrations, and the role of the apps if it is not the owner. */
export function migrationTarget({ databaseUrl, migrationUrl, appRole }: MigrationSettings): MigrateOptions {
  const url = migrationUrl ?? databaseUrl;
  const [app, owner] = [userOf(databaseUrl), userOf(url)];
  const name = appRole ?? app.name;
  if (!name || name === owner.name) return { url };
  return { url, appRole: { name, ...(name === app.name && app.password && { password: app.password }) } };
}

function userOf(url: string): { name: string; password: string } {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}
