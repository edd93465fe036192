import type { Db } from '@relata/db';
import { type AppError, noSuchRecord } from '@relata/schemas/errors';
import { findWinners } from './winner.sql.ts';

/** Returns the error for a record that does not exist; for a merged record, it names the winner. */
export async function missingRecord(db: Db, orgId: string, id: string): Promise<AppError> {
  const [merged] = await findWinners(db, orgId, [id]);
  return merged ? noSuchRecord(undefined, { merged_into: merged.winner }) : noSuchRecord();
}
