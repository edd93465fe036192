import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';

/** Time limit for connecting; then the program of PostgreSQL fails. */
const connectTimeoutSeconds = '10';

/**
 * Returns the environment in which the programs of PostgreSQL connect to the database of this address as the apps do.
 * The password is in the environment, because every user of the machine could see an argument. The file with CAs is
 * removed when `stack` is disposed.
 */
export async function postgresEnvironment(url: string, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return {
    ...Object.fromEntries(own),
    PGHOST: searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGCONNECT_TIMEOUT: connectTimeoutSeconds,
    PGAPPNAME: 'relata-cli',
    ...(await tlsEnvironment(searchParams, stack)),
  };
}

/**
 * Returns the variables for TLS. Like the apps, the programs verify certificate and host, except with `disable` and
 * `no-verify`. They trust the CAs of Node unless the address names a file.
 */
async function tlsEnvironment(given: URLSearchParams, stack: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const mode = given.get('sslmode') ?? (given.get('ssl') === 'true' ? 'verify-full' : null);
  if (mode === null || mode === 'disable') return { PGSSLMODE: 'disable' };
  const [certificate, key] = [given.get('sslcert'), given.get('sslkey')];
  const client = { ...(certificate && { PGSSLCERT: certificate }), ...(key && { PGSSLKEY: key }) };
  if (mode === 'no-verify') return { ...client, PGSSLMODE: 'require' };
  const rootFile = given.get('sslrootcert') ?? (await writeNodeCas(stack));
  return { ...client, PGSSLMODE: 'verify-full', PGSSLROOTCERT: rootFile };
}

function writeNodeCas(stack: AsyncDisposableStack): Promise<string> {
  return writeTemporaryFile('ca.pem', getCACertificates('default').join('\n'), stack);
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
