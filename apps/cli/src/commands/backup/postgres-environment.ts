import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { readServerAddress, type ServerAddress } from '@relata/db';

/** Time limit for connecting, after which a program of PostgreSQL fails. */
const connectTimeoutSeconds = '10';

/**
 * Returns the environment in which the programs of PostgreSQL connect to the database of this address as the apps do.
 * The password is in the environment, because every user of the machine could see an argument. The file with CAs is
 * removed when `stack` is disposed.
 */
export async function postgresEnvironment(url: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const { host, port, user, password, database, tls } = readServerAddress(url);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const address = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database };
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(Object.entries(address).filter(([, value]) => value)),
    PGCONNECT_TIMEOUT: connectTimeoutSeconds,
    PGAPPNAME: 'relata-cli',
    ...(await tlsEnvironment(tls, new URL(url).searchParams, stack)),
  };
}

/**
 * Returns the variables for TLS. Like the apps, the programs verify certificate and host, except with `disable` and
 * `no-verify`. They trust the CAs of Node unless the address names a file.
 */
async function tlsEnvironment(
  tls: ServerAddress['tls'],
  given: URLSearchParams,
  stack: AsyncDisposableStack,
): Promise<NodeJS.ProcessEnv> {
  if (tls === false) return { PGSSLMODE: 'disable' };
  const [certificate, key] = [given.get('sslcert'), given.get('sslkey')];
  const client = { ...(certificate && { PGSSLCERT: certificate }), ...(key && { PGSSLKEY: key }) };
  const { rejectUnauthorized: isVerified = true, checkServerIdentity: ownCheck } = tls === true ? {} : tls;
  if (!isVerified) return { ...client, PGSSLMODE: 'require' };
  const nodeCas = () => writeTemporaryFile('ca.pem', getCACertificates('default').join('\n'), stack);
  const rootFile = given.get('sslrootcert') || (await nodeCas());
  // With `uselibpqcompat`, pg checks the certificate in some modes, but not the host name in the certificate.
  return { ...client, PGSSLMODE: ownCheck ? 'verify-ca' : 'verify-full', PGSSLROOTCERT: rootFile };
}

/** Writes a file in a new folder, and returns its path. Both are removed when `stack` is disposed. */
export async function writeTemporaryFile(name: string, text: string, stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Returns the address of another database on the same server, with the same role. */
export function addressOfDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href;
}
