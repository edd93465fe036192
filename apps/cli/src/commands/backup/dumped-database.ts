import { openDatabase, readWith } from '@relata/db';
import { CliError } from '../../output/cli.error.ts';
import { dumpVersionWarning, programMajor } from './program-version.ts';

const statementTimeoutMs = 10_000;

interface DumpedDatabase {
  /** Name of the database on the server. The URL of a connection pooler may have a different name. */
  name: string;
  role: string;
  /**
   * Start time of the server, in seconds since 1970. It identifies the server, because even a copy has a different one.
   * Null for a standby.
   */
  started_at: string | null;
  /** Major version of the server. */
  major: number;
  /**
   * True if this role may dump the tables: it is a superuser, the owner, or a member of the owner's role or of
   * `pg_read_all_data`. Null if there are no tables.
   */
  may_dump: boolean | null;
}

const readDatabase = readWith<DumpedDatabase>(
  'backup.database',
  `SELECT current_database()::text AS name, current_user::text AS role,
     CASE WHEN NOT pg_is_in_recovery() THEN extract(epoch FROM pg_postmaster_start_time())::text END AS started_at,
     current_setting('server_version_num')::int / 10000 AS major,
     (SELECT pg_has_role(relowner, 'USAGE') OR pg_has_role('pg_read_all_data', 'USAGE') FROM pg_class
     WHERE oid = to_regclass('schema_migrations')) AS may_dump`,
);

interface Addresses {
  /** URL of the database to dump. */
  url: string;
  /** URL that the apps use. */
  appsUrl: string;
  warn(message: string): void;
}

/**
 * Returns the name of the database at `url`. Throws if the tables of Relata are missing, or if the role may not dump
 * all of them. Warns if the apps use a different database, and if the dump cannot be restored into this server.
 */
export async function checkDumpable({ url, appsUrl, warn }: Addresses): Promise<string> {
  const found = await read(url);
  const { name, role } = found;
  if (found.may_dump === null)
    throw new CliError(
      'configuration_error',
      `The database ${name} has no tables of Relata. Check DATABASE_URL and DATABASE_MIGRATION_URL, or run: relata migrate`,
    );
  if (!found.may_dump)
    throw new CliError(
      'configuration_error',
      `The role ${role} may not dump the database. Set DATABASE_MIGRATION_URL to a URL with the role that owns the tables.`,
    );
  const warnings = [
    dumpVersionWarning(await programMajor('pg_dump'), found.major),
    url === appsUrl ? undefined : await appsWarning(found, appsUrl),
  ];
  for (const warning of warnings) if (warning !== undefined) warn(warning);
  return name;
}

/** Returns a warning if the apps use a different database from the dumped one, or if their database cannot be read. */
async function appsWarning(dumped: DumpedDatabase, appsUrl: string): Promise<string | undefined> {
  try {
    const { name, started_at: startedAt } = await read(appsUrl);
    // A standby counts as the same server, because it copies the database of its primary.
    const isSameServer = dumped.started_at === null || dumped.started_at === startedAt;
    if (name === dumped.name && isSameServer) return undefined;
    const where = isSameServer ? name : `${name} of another server`;
    return (
      `DATABASE_URL names the database ${where}, but this is a backup of ${dumped.name}, which ` +
      `DATABASE_MIGRATION_URL names. Set both for the same database.`
    );
  } catch (error) {
    return `DATABASE_URL was not compared with DATABASE_MIGRATION_URL: ${(error as Error).message}`;
  }
}

async function read(url: string): Promise<DumpedDatabase> {
  await using database = openDatabase({ url, name: 'relata-cli', poolMax: 1, statementTimeoutMs });
  return readDatabase(database);
}
