import type { Database } from '@relata/db';

type Transactions = Pick<Database, 'query' | 'transaction'>;

/** Returns a database in which every transaction fails before its commit. */
export function failingAtCommit(database: Transactions): Transactions {
  return {
    query: (prepared, values) => database.query(prepared, values),
    transaction: (work) =>
      database.transaction(async (open) => {
        await work(open);
        throw new Error('rolled back');
      }),
  };
}
