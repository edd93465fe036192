import { isTransient, isTlsFault } from '@relata/db';
import { type Check, checkOn, fault, ok, type Verdict, warning } from '../check.ts';
import { errorReason } from '../reason.ts';
import { readLetters, readServer } from './server.sql.ts';

const versionMin = 15;

/** Checks that the server responds and has a supported version. */
export const reachable: Check = {
  name: 'database',
  run: async ({ database }) => {
    try {
      return checkVersion(await readServer(database));
    } catch (error) {
      return fault(`PostgreSQL cannot be used: ${errorReason(error)}.`, adviceOn(error));
    }
  },
};

/** SQLSTATE of a server, or a role, whose connections are all in use. */
const tooManyConnections = '53300';

function adviceOn(error: unknown): string {
  if ((error as { code?: unknown }).code === tooManyConnections)
    return 'Run fewer processes, lower their DATABASE_POOL_MAX, or raise max_connections of PostgreSQL.';
  if (isTransient(error))
    return (
      'Check that PostgreSQL runs and accepts connections at the address in DATABASE_URL. If it does, the server or ' +
      'this machine is overloaded.'
    );
  if (isTlsFault(error))
    return 'Check the certificate of PostgreSQL, and the host, sslmode and sslrootcert in DATABASE_URL.';
  return 'Check the user, the password and the database in DATABASE_URL, and whether the server requires sslmode.';
}

/** Checks a version; `version` is `server_version_num`, such as 150004 for 15.4. */
export function checkVersion({ version, version_text: text }: { version: number; version_text: string }): Verdict {
  if (version >= versionMin * 10_000) return ok(`PostgreSQL ${text} answers.`);
  return fault(`PostgreSQL has version ${text}.`, `Upgrade it to ${versionMin} or newer.`);
}

/** Checks that committed data is on disk. */
export const durability = checkOn('database', 'durability', async ({ database }) => {
  const { fsync, full_page_writes: pages, synchronous_commit: commit } = await readServer(database);
  const found = `fsync is ${fsync}, full_page_writes is ${pages}, synchronous_commit is ${commit}.`;
  if (fsync === 'off' || pages === 'off')
    return fault(found, 'Set fsync and full_page_writes to on. Otherwise a power failure may destroy the database.');
  if (commit === 'off')
    return fault(
      found,
      'Set synchronous_commit to on or local. Otherwise a crash loses writes that were answered with success.',
    );
  return ok(found);
});

/** Checks the locale of the database, which must let names and addresses match regardless of case. */
export const locale = checkOn('database', 'locale', async ({ database }) => {
  const { encoding, has_lower_case: hasLowerCase } = await readLetters(database);
  const anew = 'Dump it, and restore it into a database with the encoding UTF8 and the locale C.UTF-8.';
  if (encoding !== 'UTF8') return fault(`The database is encoded in ${encoding}.`, anew);
  if (!hasLowerCase) return warning('The locale of the database converts only English letters to lower case.', anew);
  return ok('The database is encoded in UTF8, and its locale converts all letters to lower case.');
});
