import type { Database } from '@relata/db';

type Transactions = Pick<Database, 'query' | 'transaction'>;

/** A database of which every transaction fails when it is to be committed. */
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
