import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** Address of a database, as the pool connects to it. */
export interface ServerAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** False if nothing is encrypted. */
  tls: boolean | Pick<ConnectionOptions, 'rejectUnauthorized' | 'checkServerIdentity'>;
}

/**
 * Returns the address to which a pool with this URL connects: pg adds the parameters of the URL, its defaults, and
 * variables such as PGPORT. Reads the certificate files of the URL, and throws if one cannot be read.
 */
export function readServerAddress(url: string): ServerAddress {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: url });
  return { host, port, user, password, database, tls: ssl as ServerAddress['tls'] };
}
