import { listWith, readWith } from '@relata/db';

interface Server {
  version: number;
  version_text: string;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
}

/** Reads the server's version and settings, as they apply to the role of the apps in this database. */
export const readServer = readWith<Server>(
  'diagnosis.server',
  `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS version_text,
     current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
     current_setting('synchronous_commit') AS synchronous_commit`,
);

interface Letters {
  encoding: string;
  has_lower_case: boolean;
}

/** Reads the encoding of the database, and whether it converts letters beyond ASCII to lower case. */
export const readLetters = readWith<Letters>(
  'diagnosis.letters',
  `SELECT current_setting('server_encoding') AS encoding, lower('\u00c9') = '\u00e9' AS has_lower_case`,
);

/** Reads the clock of the database, in milliseconds since 1970. */
export const readClock = readWith<{ at: number }>(
  'diagnosis.clock',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
);

export interface ConnectionUse {
  what: 'server' | 'database' | 'role';
  used: number;
  most: number;
}

/**
 * Lists the used and allowed connections of the server, and of the database and role if these have limits. PostgreSQL
 * hides the kind of other roles' processes, so the server's own processes are recognized by their missing database. For
 * roles and databases, a limit of -1 means none. Before version 16, connections are reserved only for superusers.
 */
export const listConnectionUse = listWith<ConnectionUse>(
  'diagnosis.connections',
  `WITH client AS (SELECT datname, usename FROM pg_stat_activity WHERE datname IS NOT NULL)
   SELECT 'server' AS what, (SELECT count(*)::integer FROM client) AS used,
     current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
       - coalesce(current_setting('reserved_connections', true)::integer, 0) AS most
   UNION ALL SELECT 'database', (SELECT count(*)::integer FROM client c WHERE c.datname = d.datname), datconnlimit
     FROM pg_database d WHERE datname = current_database() AND datconnlimit >= 0
   UNION ALL SELECT 'role', (SELECT count(*)::integer FROM client c WHERE c.usename = rolname), rolconnlimit
     FROM pg_roles WHERE rolname = current_user AND rolconnlimit >= 0`,
);
