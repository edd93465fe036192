import { openDatabase, readWith } from '@relata/db';
import { CliError } from '../../output/cli.error.ts';

const statementTimeoutMs = 10_000;

/**
 * Reads whether this role may dump the tables: superusers, the owner, and members of its role or of `pg_read_all_data`
 * may. `may_dump` is null if there are no tables.
 */
const readRights = readWith<{ may_dump: boolean | null }>(
  'backup.rights',
  `SELECT (SELECT pg_has_role(relowner, 'USAGE') OR pg_has_role('pg_read_all_data', 'USAGE') FROM pg_class
     WHERE oid = to_regclass('schema_migrations')) AS may_dump`,
);

/** Throws unless the database of this URL has the tables of Relata, and the role of the URL may dump all of them. */
export async function checkDumpable(url: string): Promise<void> {
  await using database = openDatabase({ url, name: 'relata-cli', poolMax: 1, statementTimeoutMs });
  const { may_dump: mayDump } = await readRights(database);
  const { pathname, username } = new URL(url);
  if (mayDump === null) throw new CliError('configuration_error', emptyMessage(decodeURIComponent(pathname.slice(1))));
  if (!mayDump) throw new CliError('configuration_error', rightsMessage(decodeURIComponent(username)));
}

function emptyMessage(name: string): string {
  return `The database ${name} has no tables of Relata. Check DATABASE_URL and DATABASE_MIGRATION_URL, or run: relata migrate`;
}

function rightsMessage(role: string): string {
  return `The role ${role} may not dump the database. Set DATABASE_MIGRATION_URL to the address of the owner.`;
}
