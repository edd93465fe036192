import { makeLocalLink } from '@relata/people';
import type { StackOrganization } from '../stack/stack-file.ts';
import { openDemoDatabase } from './demo-database.ts';

/** The person whom the link of `npm start` signs in. */
const admin = { email: 'admin@localhost', name: 'Local Admin' };

/**
 * Creates a one-time link to the console for the person who started the stack, an admin of its demo organizations, and
 * invalidates the links of earlier starts. Returns undefined if there are no demo organizations, because the database
 * has its own people and data.
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
