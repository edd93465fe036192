import { tryEach } from '@relata/runtime';
import { type Db, onlyRow, type Statement, statement } from './statement.ts';

const listOrganizations = statement<{ id: string }>('retention.organizations', 'SELECT id FROM organizations');

/**
 * Does work for each organization in turn. If the work fails for one of them, continues with the others, and throws the
 * first error at the end.
 */
export async function eachOrganization(
  db: Db,
  work: (orgId: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const organizations = await db.query(listOrganizations, []);
  await tryEach(organizations, ({ id }) => work(id), signal);
}

/** Rows per statement: few enough that a statement ends within milliseconds and hardly delays others. */
export const batchRows = 1_000;
/** Stored bytes after which a statement deletes no further row. A body can have 25 MB, and a journal several GB. */
export const batchBytes = 10_000_000;

/**
 * Returns SQL for the first rows of a FROM item, up to the row with which the sum of the column `bytes` reaches a
 * limit. It selects at least one row, however large.
 */
export const upToBytes = (rows: string, max = batchBytes) =>
  `SELECT * FROM (
     SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM ${rows}
   ) summed WHERE bytes_before < ${max}`;

interface Batches {
  /** Handles some rows of organization $1, and returns their number; 0 once none is left. */
  batch: Statement<{ rows: number }>;
  /** Returns further parameters of the batch. */
  valuesOf?: () => readonly unknown[];
  /** Runs once for each organization after its last batch. */
  last?: Statement<never>;
}

/**
 * Declares a function that handles rows of all organizations in small transactions and returns their number. If it
 * fails for one organization, the others are still handled.
 */
export function inBatches({ batch, valuesOf = () => [], last }: Batches) {
  return async (db: Db, signal?: AbortSignal): Promise<number> => {
    const values = valuesOf();
    let total = 0;
    const handle = async (orgId: string) => {
      for (let rows = 1; rows > 0; total += rows) {
        signal?.throwIfAborted();
        ({ rows } = await onlyRow(db, batch, [orgId, ...values]));
      }
      if (last) await db.query(last, [orgId]);
    };
    await eachOrganization(db, handle, signal);
    return total;
  };
}
