import { type Db, onlyRow, type Statement, statement } from '@relata/db';

export const listOrganizations = statement<{ id: string }>('retention.organizations', 'SELECT id FROM organizations');

/** Rows per statement, so few that it ends within milliseconds and others hardly wait for it. */
export const batchRows = 1_000;

interface Batches {
  /** Handles up to `batchRows` rows of organization $1 and returns their number. */
  batch: Statement<{ rows: number }>;
  values?: readonly unknown[];
  /** Runs once for each organization after its last batch. */
  last?: Statement<never>;
}

/** Handles rows of all organizations in small transactions; returns their number. */
export async function inBatches(
  db: Db,
  { batch, values = [], last }: Batches,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  for (const { id } of await db.query(listOrganizations, [])) {
    for (let rows = batchRows; rows === batchRows; total += rows) {
      signal?.throwIfAborted();
      ({ rows } = await onlyRow(db, batch, [id, ...values]));
    }
    if (last) await db.query(last, [id]);
  }
  return total;
}
