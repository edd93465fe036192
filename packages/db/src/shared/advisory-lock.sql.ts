import { type Db, statement } from '../statement.ts';
import { type Gathered, isShared } from './gathered.ts';

/** Something is locked by another transaction, and was not waited for. */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The text that is locked; undefined where it is a row. */
  readonly text: string | undefined;

  constructor(text?: string) {
    super('Another transaction is at work on the same record.');
    this.text = text;
  }
}

/** Lowered by PostgreSQL, as the comparisons are, so that what they take for the same waits for the same. */
const hashOf = (text: string) => `hashtextextended(lower(${text}), 0)`;

/** All in ascending order, so that no two transactions wait for each other. */
const wait = statement<{ n: number; hash: string }>(
  'advisory.wait',
  `SELECT n::integer, hash::text, pg_advisory_xact_lock(hash)
   FROM (SELECT n, ${hashOf('text')} AS hash FROM unnest($1::text[]) WITH ORDINALITY AS given (text, n) ORDER BY hash) ordered`,
);

/** Less than the second after which PostgreSQL looks for deadlocks. */
const rowWaitMs = 250;

/** From then on the transaction also waits no longer than that for a row: it holds what others wait for. */
const tryAll = statement<{ hash: string; is_locked: boolean }>(
  'advisory.try',
  `WITH bounded AS MATERIALIZED (SELECT set_config('lock_timeout', '${rowWaitMs}', true) AS ms)
   SELECT hash::text, pg_try_advisory_xact_lock(hash) AS is_locked, bounded.ms
   FROM bounded CROSS JOIN (
     SELECT n, ${hashOf('text')} AS hash FROM unnest($1::text[]) WITH ORDINALITY AS given (text, n) ORDER BY n
   ) hashed`,
);

export interface TriedLock {
  text: string;
  hash: string;
  isLocked: boolean;
}

export const tryLocks: Gathered<readonly string[], TriedLock[]> = {
  async run(db, calls) {
    const rows = await db.query(tryAll, [calls.flat()]);
    let next = 0;
    return calls.map((texts) =>
      texts.map((text) => {
        const { hash, is_locked: isLocked } = rows[next++]!;
        return { text, hash, isLocked };
      }),
    );
  },
};

export const waitForLocks: Gathered<readonly string[], TriedLock[]> = {
  async run(db, calls) {
    const all = calls.flat();
    const hashes: string[] = [];
    for (const { n, hash } of await db.query(wait, [all])) hashes[n - 1] = hash;
    let next = 0;
    return calls.map((texts) => texts.map((text) => ({ text, hash: hashes[next++]!, isLocked: true })));
  },
};

/**
 * Locks texts, in any case of letters, until the transaction ends. Waits for other transactions; in a shared one where
 * others would wait too, it throws LockedError.
 */
export async function lockTexts(db: Db, texts: readonly string[]): Promise<void> {
  if (!isShared(db)) return void (await db.query(wait, [texts]));
  const busy = await db.tryLock(texts);
  if (busy !== undefined) throw new LockedError(busy);
}
