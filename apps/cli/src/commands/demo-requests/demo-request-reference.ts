import type { Db } from '@relata/db';
import { type DemoRequest, findDemoRequest, findDemoRequestOrganization } from '@relata/demo-requests';
import { CliError } from '../../output/cli.error.ts';

/** The demo request of this id, of whatever organization. */
export async function requireDemoRequest(db: Db, id: string): Promise<DemoRequest> {
  const orgId = await findDemoRequestOrganization(db, id);
  const found = orgId === undefined ? undefined : await findDemoRequest(db, orgId, id);
  if (!found) throw new CliError('not_found', `There is no demo request ${id}. See: relata demo-requests list`);
  return found;
}
