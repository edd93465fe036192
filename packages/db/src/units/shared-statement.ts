import type { BatcherOptions, Party } from '@relata/runtime';
import type { Db, Statement } from '../statement.ts';

/** Result of a call whose row another transaction has locked. */
export const locked: unique symbol = Symbol('locked');

/**
 * A unit needs a lock of another transaction and did not wait for it, or the unit is too large to share a transaction.
 */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The locked key; undefined if something else is locked, such as a row. */
  readonly key: string | undefined;
  /** True if the unit writes so much that it must not share a transaction at all. */
  readonly isBulk: boolean;

  constructor(key?: string, { isBulk = false }: { isBulk?: boolean } = {}) {
    super('Another transaction is changing the same record.');
    this.key = key;
    this.isBulk = isBulk;
  }
}

/** Options for calls of a statement outside of transactions. The weight of a call is the characters that it writes. */
interface BatchingOptions<Call> extends Omit<
  BatcherOptions<Call, unknown>,
  'run' | 'isItemFault' | 'isOutage' | 'keyOf'
> {
  partyOf(call: Call): Party;
}

/** A statement that serves many calls. It is declared once, since calls are grouped by this object. */
export interface SharedStatement<Call, Result> {
  /** Runs the calls and returns their results in the same order. A result can be `locked` only if `waits` is false. */
  run(db: Db, calls: readonly Call[], how: { waits: boolean }): Promise<readonly (Result | typeof locked)[]>;
  /**
   * Key of a call. Calls with equal keys go into separate statements, in order, so that the second sees the effect of
   * the first.
   */
  keyOf?(call: Call): string;
  /**
   * Names of the locks that a call holds until its unit ends. Units of one transaction that use the same name run one
   * after another, since row locks do not separate units of the same transaction.
   */
  holds?(call: Call): readonly string[];
  /** Returns true if anything was written. Undefined if the statement never writes. */
  wrote?(result: Result): boolean;
  /**
   * True for the last call of a unit. Last calls are sent once no unit has any other call to send, so that one
   * statement serves all units.
   */
  isLast?: boolean;
  /** Options for calls outside of transactions. Undefined if the statement needs a transaction. */
  batching?: BatchingOptions<Call>;
}

type Rows = SharedStatement<readonly unknown[], unknown[]>;

const ofStatements = new WeakMap<Statement<unknown>, Rows>();

/**
 * Turns an ordinary statement into a shared one, which runs once for each call, in order. Reads with the same values
 * run only once.
 */
export function oneByOne<Row>(prepared: Statement<Row>): SharedStatement<readonly unknown[], Row[]> {
  return ofStatements.getOrInsertComputed(prepared, repeated) as SharedStatement<readonly unknown[], Row[]>;
}

function repeated(prepared: Statement<unknown>): Rows {
  const isReading = /^\s*SELECT\b/.test(prepared.text);
  return {
    async run(db, calls) {
      if (!isReading) return inOrder(calls, (values) => db.query(prepared, values));
      const known = new Map<string, unknown[]>();
      return inOrder(calls, async (values) => {
        const key = JSON.stringify(values);
        const rows = known.get(key) ?? (await db.query(prepared, values));
        known.set(key, rows);
        return rows;
      });
    },
    wrote: () => !isReading,
  };
}

async function inOrder<Call, Result>(calls: readonly Call[], each: (call: Call) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const call of calls) results.push(await each(call));
  return results;
}
