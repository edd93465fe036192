import { openDatabase, statement } from '@relata/db';

/**
 * Runs an administrative command on the server. Names in the command are not escaped, so they must come from our own
 * code.
 */
async function administer(serverUrl: string, command: string): Promise<void> {
  await using database = openDatabase({
    url: serverUrl,
    name: 'relata-test-admin',
    poolMax: 1,
    connectTimeoutMs: 20_000,
    statementTimeoutMs: 60_000,
  });
  await database.query(statement('', command), []);
}

/** Creates a database, as a copy of a template if given, and returns its URL. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  await administer(serverUrl, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template} STRATEGY FILE_COPY` : ''}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export function dropDatabase(serverUrl: string, name: string): Promise<void> {
  return administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

export function dropRole(serverUrl: string, name: string): Promise<void> {
  return administer(serverUrl, `DROP ROLE IF EXISTS ${name}`);
}
