import { type Db, statement } from '../statement.ts';
import type { SharedStatement } from './shared-statement.ts';

/**
 * Returns SQL for the hash of a key. PostgreSQL converts the key to lower case, as comparisons do, so that equal values
 * share a lock.
 */
const hashOf = (key: string) => `hashtextextended(lower(${key}), 0)`;

/** Locks all keys in the order of their hashes, so that two transactions never deadlock. */
const wait = statement<{ n: number; hash: string }>(
  'advisory.wait',
  `SELECT n::integer, hash::text, pg_advisory_xact_lock(hash)
   FROM (SELECT n, ${hashOf('key')} AS hash FROM unnest($1::text[]) WITH ORDINALITY AS given (key, n) ORDER BY hash) ordered`,
);

/** Longest wait for a row, in ms: less than the second after which PostgreSQL checks for deadlocks. */
const rowWaitMs = 250;

/**
 * Tries to lock all keys. From then on the transaction waits at most `rowWaitMs` for a row, since others may wait for
 * its locks.
 */
const tryAll = statement<{ hash: string; is_locked: boolean }>(
  'advisory.try',
  `WITH bounded AS MATERIALIZED (SELECT set_config('lock_timeout', '${rowWaitMs}', true) AS ms)
   SELECT hash::text, pg_try_advisory_xact_lock(hash) AS is_locked, bounded.ms
   FROM bounded CROSS JOIN (
     SELECT n, ${hashOf('key')} AS hash FROM unnest($1::text[]) WITH ORDINALITY AS given (key, n) ORDER BY n
   ) hashed`,
);

export interface TriedKey {
  key: string;
  hash: string;
  isLocked: boolean;
}

/** Locks keys until the transaction ends. */
export const keyLocks: SharedStatement<readonly string[], TriedKey[]> = {
  async run(db, calls, { waits }) {
    const all = calls.flat();
    const tried = waits ? await waitForAll(db, all) : await db.query(tryAll, [all]);
    let next = 0;
    return calls.map((keys) =>
      keys.map((key) => {
        const { hash, is_locked: isLocked } = tried[next++]!;
        return { key, hash, isLocked };
      }),
    );
  },
};

async function waitForAll(db: Db, keys: readonly string[]): Promise<{ hash: string; is_locked: boolean }[]> {
  const tried: { hash: string; is_locked: boolean }[] = [];
  for (const { n, hash } of await db.query(wait, [keys])) tried[n - 1] = { hash, is_locked: true };
  return tried;
}
