import { type Db, onlyRow, type Statement, statement } from '@relata/db';
import { tryEach } from '@relata/runtime';

const listOrganizations = statement<{ id: string }>('retention.organizations', 'SELECT id FROM organizations');

/**
 * Does work for each organization in turn. If it fails for one, continues with the others, and throws the first error at
 * the end.
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

interface Batches {
  /** Handles up to `batchRows` rows of organization $1 and returns their number. */
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
      for (let rows = batchRows; rows === batchRows; total += rows) {
        signal?.throwIfAborted();
        ({ rows } = await onlyRow(db, batch, [orgId, ...values]));
      }
      if (last) await db.query(last, [orgId]);
    };
    await eachOrganization(db, handle, signal);
    return total;
  };
}
