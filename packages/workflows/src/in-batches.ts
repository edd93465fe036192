import { type Db, onlyRow, type Statement, statement } from '@relata/db';

export const listOrganizations = statement<{ id: string }>('retention.organizations', 'SELECT id FROM organizations');

/** Rows per statement: few enough that a statement ends within milliseconds and hardly delays others. */
export const batchRows = 1_000;

interface Batches {
  /** Handles up to `batchRows` rows of organization $1 and returns their number. */
  batch: Statement<{ rows: number }>;
  /** Returns further parameters of the batch. */
  valuesOf?: () => readonly unknown[];
  /** Runs once for each organization after its last batch. */
  last?: Statement<never>;
}

/** Declares a function that handles rows of all organizations in small transactions and returns their number. */
export function inBatches({ batch, valuesOf = () => [], last }: Batches) {
  return async (db: Db, signal?: AbortSignal): Promise<number> => {
    const values = valuesOf();
    let total = 0;
    for (const { id } of await db.query(listOrganizations, [])) {
      for (let rows = batchRows; rows === batchRows; total += rows) {
        signal?.throwIfAborted();
        ({ rows } = await onlyRow(db, batch, [id, ...values]));
      }
      if (last) await db.query(last, [id]);
    }
    return total;
  };
}
