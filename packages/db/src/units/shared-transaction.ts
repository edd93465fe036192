import { setImmediate } from 'node:timers/promises';
import { type Trace, tracing } from '@relata/telemetry';
import type { Db, Statement } from '../statement.ts';
import { keyLocks } from './key-lock.sql.ts';
import { locked, LockedError, oneByOne, type SharedStatement } from './shared-statement.ts';
import type { UnitDb } from './unit-db.ts';

/**
 * The work of a unit in a shared transaction. It must wait only for the database, because the other units wait with it.
 */
export type UnitWork<Result> = (db: UnitDb) => Promise<Result>;

/** Another unit of the transaction failed after it had written, so everything was rolled back. */
export class RolledBackError extends Error {
  override name = 'RolledBackError';

  constructor() {
    super('Another unit of the transaction failed, so the whole transaction was rolled back.');
  }
}

/**
 * Runs units within the caller's transaction. Each unit continues until it waits for the database. Once all wait, their
 * calls are sent, and those of the same shared statement are sent together. A unit that throws before it has written
 * anything does not affect the others. Throws if a statement failed, or if a unit failed after it had written; the
 * caller must then roll back. If the units belong to one caller, they may wait for locks of other transactions
 * (`waits`); units of several callers never do. `onFault` is called with the index of each unit that threw after it had
 * written.
 */
export async function runTogether<Result>(
  db: Db,
  units: readonly UnitWork<Result>[],
  { waits = false, onFault }: { waits?: boolean; onFault?: (unit: number) => void } = {},
): Promise<PromiseSettledResult<Result>[]> {
  const shared = new SharedTransaction(db, units.length, waits);
  const running: Promise<Result>[] = [];
  for (const [i, unit] of units.entries()) {
    if (i % unitsPerTurn === unitsPerTurn - 1) await setImmediate();
    running.push(shared.run(unit, () => onFault?.(i)));
    // Prevents an unhandled rejection: results are read only once all units have begun.
    running[i]!.catch(() => undefined);
  }
  const results = await Promise.allSettled(running);
  shared.throwIfFailed();
  return results;
}

/** Maximum number of units that continue in one turn of the event loop, since all other requests wait meanwhile. */
const unitsPerTurn = 50;

interface Asked {
  unit: SharedUnitDb;
  call: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Sends calls in waves: the next wave begins when no unit can continue without the database. */
class SharedTransaction {
  readonly #db: Db;
  readonly #asked = new Map<SharedStatement<unknown, unknown>, Asked[]>();
  readonly waits: boolean;
  /**
   * For each name of a lock, the unit that took it last. A name is the hash of a locked key, or comes from `holds` of a
   * statement. Units that took the name earlier end before that unit.
   */
  readonly latest = new Map<string, SharedUnitDb>();
  /**
   * Trace of the transaction. Its statements are sent when the last unit starts to wait, so the current trace would be
   * that of this unit.
   */
  readonly #trace: Trace | undefined = tracing?.active();
  /** Number of units that are neither waiting nor finished. */
  #running: number;
  #isFlushing = false;
  /** The first failure, and the error that all other units get. */
  #failure: { error: unknown; forOthers: Error } | undefined;

  constructor(db: Db, units: number, waits: boolean) {
    this.#db = db;
    this.#running = units;
    this.waits = waits;
  }

  async run<Result>(unit: UnitWork<Result>, onFault: () => void): Promise<Result> {
    const own = new SharedUnitDb(this);
    try {
      return await unit(own);
    } catch (error) {
      if (own.hasWritten && error !== this.#failure?.forOthers) onFault();
      if (own.hasWritten && !this.#failure) this.#fail([], error, new RolledBackError());
      throw error;
    } finally {
      own.end();
      this.rest();
    }
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  ask<Call, Result>(
    unit: SharedUnitDb,
    statement: SharedStatement<Call, Result>,
    call: Call,
  ): Promise<Result | typeof locked> {
    if (this.#failure) return Promise.reject(this.#failure.forOthers);
    if (statement.isLast) unit.end();
    return new Promise((resolve, reject) => {
      const asked = this.#asked.getOrInsertComputed(statement as SharedStatement<unknown, unknown>, () => []);
      asked.push({ unit, call, resolve: resolve as (result: unknown) => void, reject });
      this.rest();
    });
  }

  /** Notes that a unit waits or has ended; sends the waiting calls once no unit is running. */
  rest(): void {
    this.#running--;
    if (tracing) void tracing.within(this.#trace, () => this.#flush());
    else void this.#flush();
  }

  resume(): void {
    this.#running++;
  }

  async #flush(): Promise<void> {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    while (this.#running === 0) {
      const next = this.#next();
      if (!next) break;
      await this.#carryOut(...next);
    }
    this.#isFlushing = false;
  }

  #next(): [SharedStatement<unknown, unknown>, Asked[]] | undefined {
    const all = [...this.#asked];
    return all.find(([statement]) => !statement.isLast) ?? all[0];
  }

  async #carryOut(statement: SharedStatement<unknown, unknown>, asked: readonly Asked[]): Promise<void> {
    const [now, later] = distinct(asked, statement);
    if (later.length > 0) this.#asked.set(statement, later);
    else this.#asked.delete(statement);
    try {
      const calls = now.map(({ call }) => call);
      const results = await statement.run(this.#db, calls, { waits: this.waits });
      for (const [i, { unit, resolve }] of now.entries()) {
        if (i % unitsPerTurn === unitsPerTurn - 1) await setImmediate();
        const result = results[i];
        unit.hasWritten ||= result !== locked && (statement.wrote?.(result) ?? false);
        this.resume();
        resolve(result);
      }
    } catch (error) {
      this.#fail(now, error, error as Error);
    }
  }

  #fail(now: readonly Asked[], error: unknown, forOthers: Error): void {
    this.#failure ??= { error, forOthers };
    const all = [...now, ...[...this.#asked.values()].flat()];
    this.#asked.clear();
    for (const { reject } of all) {
      this.resume();
      reject(forOthers);
    }
  }
}

/** Splits calls into the first call of each key, and the rest. */
function distinct(asked: readonly Asked[], { keyOf }: SharedStatement<unknown, unknown>): [Asked[], Asked[]] {
  if (!keyOf) return [[...asked], []];
  const [now, later]: [Asked[], Asked[]] = [[], []];
  const keys = new Set<string>();
  for (const one of asked) {
    const key = keyOf(one.call);
    (keys.has(key) ? later : now).push(one);
    keys.add(key);
  }
  return [now, later];
}

class SharedUnitDb implements UnitDb {
  hasWritten = false;
  readonly waits: boolean;
  readonly #shared: SharedTransaction;
  readonly #waiting: (() => void)[] = [];
  /** Names that the unit holds. Other units must wait for them; the unit itself may take them again. */
  readonly #held = new Set<string>();
  #hasEnded = false;
  #isFollowed = false;

  constructor(shared: SharedTransaction) {
    this.#shared = shared;
    this.waits = shared.waits;
  }

  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.call(oneByOne(prepared), values);
  }

  async call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result> {
    if (statement.holds && (await this.#follow(statement.holds(call))) !== undefined) throw new LockedError();
    const result = await this.#shared.ask(this, statement, call);
    if (result === locked) throw new LockedError();
    return result as Result;
  }

  async lock(keys: readonly string[]): Promise<void> {
    const tried = await this.call(keyLocks, keys);
    const busy = tried.find(({ isLocked }) => !isLocked);
    if (busy) throw new LockedError(busy.key);
    const taken = await this.#follow(tried.map(({ hash }) => hash));
    if (taken !== undefined) throw new LockedError(tried.find(({ hash }) => hash === taken)!.key);
  }

  /**
   * Takes these names, and waits until the units that took them before have ended or made their last call. If the unit
   * would have to wait while others may already wait for it, it takes no name and returns one that is not free.
   */
  async #follow(asked: readonly string[]): Promise<string | undefined> {
    const { latest } = this.#shared;
    const names = asked.filter((name) => !this.#held.has(name));
    const taken = names.filter((name) => !this.#isFree(latest.get(name)));
    // A unit that others may wait for never waits itself, so that no two wait for each other.
    if (this.#isFollowed && taken.length > 0) return taken[0];
    const before = new Set(taken.map((name) => latest.get(name)!));
    for (const name of names) {
      latest.set(name, this);
      this.#held.add(name);
    }
    this.#isFollowed ||= names.length > 0;
    for (const unit of before) if (!unit.#hasEnded) await unit.#ended();
    return undefined;
  }

  #isFree(holder: SharedUnitDb | undefined): boolean {
    return holder === undefined || holder === this || holder.#hasEnded;
  }

  end(): void {
    this.#hasEnded = true;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        this.#shared.resume();
        resolve();
      });
      this.#shared.rest();
    });
  }
}
