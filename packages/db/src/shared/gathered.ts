import type { Db, Statement } from '../statement.ts';

/** What one statement does for several members of a shared transaction; declared once: calls are gathered by its identity. */
export interface Gathered<Call, Result> {
  /** Results in the order of the calls. */
  run(db: Db, calls: readonly Call[]): Promise<readonly Result[]>;
  /** Two calls of one key are two statements, so that the second sees what the first has done. */
  keyOf?(call: Call): string;
  /** Returns true if anything was written; never, unless given. */
  wrote?(result: Result): boolean;
  /** True for what a member ends with: done once no member asks for anything else, so that it is one statement for all. */
  isLast?: boolean;
}

/** The part of a shared transaction that one of its members sees. */
export interface SharedDb extends Db {
  /** Whether it waits for what other transactions have locked: then nobody else may wait with it. */
  readonly waits: boolean;
  ask<Call, Result>(gathered: Gathered<Call, Result>, call: Call): Promise<Result>;
  /** Locks texts until the transaction ends; returns one that is locked elsewhere and not waited for, or undefined. */
  tryLock(texts: readonly string[]): Promise<string | undefined>;
  /**
   * Waits until the members that took one of these names before have ended, or asked for their last: row locks and texts do not keep members of
   * one transaction apart. Returns one that was taken and is not waited for, since others wait for this member already.
   */
  follow(names: readonly string[]): Promise<string | undefined>;
}

export function isShared(db: Db): db is SharedDb {
  return 'ask' in db;
}

/** Does a call: with those of other members in a shared transaction, else at once. */
export async function ask<Call, Result>(db: Db, gathered: Gathered<Call, Result>, call: Call): Promise<Result> {
  if (isShared(db)) return db.ask(gathered, call);
  const [result] = await gathered.run(db, [call]);
  return result as Result;
}

type Rows = Gathered<readonly unknown[], unknown[]>;

const ofStatements = new WeakMap<Statement<unknown>, Rows>();

/** A statement that is not made for several: calls with the same values are done once, others one after the other. */
export function oneByOne<Row>(prepared: Statement<Row>): Gathered<readonly unknown[], Row[]> {
  let found = ofStatements.get(prepared);
  if (!found) ofStatements.set(prepared, (found = repeated(prepared)));
  return found as Gathered<readonly unknown[], Row[]>;
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
