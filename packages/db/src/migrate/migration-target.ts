import type { AppRole } from './app-role.ts';

/** The database to migrate, and the role of the apps that is granted its tables. */
export interface MigrateOptions {
  /** Of the role that owns the tables. */
  url: string;
  /** Whom the apps connect as, where that is another role. */
  appRole?: AppRole | undefined;
  /** Gets a line whenever a migration waits. */
  log?: (line: string) => void;
}

export interface MigrationSettings {
  /** Of the apps. */
  databaseUrl: string;
  /** Of the owner of the tables; the apps' own where there is none. */
  migrationUrl?: string | undefined;
  /** Who the apps are, where their own address does not say it. */
  appRole?: string | undefined;
}

/** Finds the address to migrate with, and the role of the apps where it is another one. */
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
