import type { Db, Statement } from '../statement.ts';

/** Stands for the result of a call whose row another transaction has locked. */
export const locked: unique symbol = Symbol('locked');

/** Another transaction has locked what a unit needs, and the unit did not wait for it. */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The key that is locked; undefined if it is a row. */
  readonly key: string | undefined;

  constructor(key?: string) {
    super('Another transaction is at work on the same record.');
    this.key = key;
  }
}

/** How the calls of a statement are sent outside of transactions. */
interface LaneOptions<Call> {
  orgIdOf(call: Call): string;
  /** Characters that a call writes. */
  weightOf(call: Call): number;
  weightMax: number;
  weightWaitingMax: number;
  itemsMax: number;
  /** Calls of one organization in a statement while other organizations have calls too. */
  ofOneMax: number;
  /** Statements at once. */
  atOnce: number;
  /** True if statements at once have no organization in common. */
  isApart?: boolean;
  waitingMax: number;
}

/** A statement that serves many calls. It is declared once: calls are brought together by its identity. */
export interface SharedStatement<Call, Result> {
  /** Returns results in the order of the calls; `locked` only if it was not to wait for other transactions. */
  run(db: Db, calls: readonly Call[], how: { waits: boolean }): Promise<readonly (Result | typeof locked)[]>;
  /** Calls with equal keys are two statements, in their order, so that the second sees what the first has done. */
  keyOf?(call: Call): string;
  /**
   * Names of what a call locks until its unit ends. Units of one transaction that hold the same follow each other:
   * row locks do not keep them apart.
   */
  holds?(call: Call): readonly string[];
  /** Returns true if anything was written; never, unless given. */
  wrote?(result: Result): boolean;
  /** True for the call that a unit ends with: it is sent once no unit asks for anything else, so that it is one statement for all. */
  isLast?: boolean;
  /** Set if calls may be sent outside of transactions. */
  lane?: LaneOptions<Call>;
}

type Rows = SharedStatement<readonly unknown[], unknown[]>;

const ofStatements = new WeakMap<Statement<unknown>, Rows>();

/** Makes a shared statement of an ordinary one: calls with the same values are sent once, others one after the other. */
export function oneByOne<Row>(prepared: Statement<Row>): SharedStatement<readonly unknown[], Row[]> {
  let found = ofStatements.get(prepared);
  if (!found) ofStatements.set(prepared, (found = repeated(prepared)));
  return found as SharedStatement<readonly unknown[], Row[]>;
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
