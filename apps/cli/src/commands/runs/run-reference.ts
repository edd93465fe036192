import type { Db } from '@relata/db';
import { findRun, findRunOrganization, type RunDetail } from '@relata/workflows/runs';
import { CliError } from '../../output/cli.error.ts';

/** The run of this id, of whatever organization. */
export async function requireRun(db: Db, id: string): Promise<RunDetail> {
  const orgId = await findRunOrganization(db, id);
  const found = orgId === undefined ? undefined : await findRun(db, orgId, id);
  if (!found) throw new CliError('not_found', `There is no run ${id}. See: relata runs list`);
  return found;
}
