import { makeLocalLink } from '@relata/people';
import type { StackOrganization } from '../stack/stack-file.ts';
import { openDemoDatabase } from './demo-database.ts';

/** The person whom the link of `npm start` signs in. */
const admin = { email: 'admin@localhost', name: 'Local Admin' };

/**
 * Creates a one-time link to the console for the person who started the stack. The link signs in as an admin of the
 * demo organizations, and invalidates the links of earlier starts. Returns undefined if the database has its own data,
 * and therefore no demo organizations.
 */
export async function consoleLink(
  databaseUrl: string,
  organizations: readonly StackOrganization[],
): Promise<string | undefined> {
  if (organizations.length === 0) return undefined;
  await using database = openDemoDatabase(databaseUrl);
  const orgIds = organizations.map(({ id }) => id);
  const { token } = await makeLocalLink({ database }, { ...admin, orgIds, requestId: 'demo' });
  return `/console/enter#${token}`;
}
