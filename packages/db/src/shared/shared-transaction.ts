import { setImmediate } from 'node:timers/promises';
import { type Trace, tracing } from '@relata/telemetry';
import type { Db, Statement } from '../statement.ts';
import { tryLocks, waitForLocks } from './advisory-lock.sql.ts';
import { type Gathered, oneByOne, type SharedDb } from './gathered.ts';

/** Part of a shared transaction. It waits for nothing but the database, else the others wait with it. */
export type Member<Result> = (db: SharedDb) => Promise<Result>;

/** Another member of the transaction failed after it had written: everything was rolled back. */
export class RolledBackError extends Error {
  override name = 'RolledBackError';

  constructor() {
    super('Another member of the transaction failed, and all of it was rolled back.');
  }
}

/**
 * Runs members within the caller's transaction. What they ask at the same time is one statement: each goes on until it
 * waits for the database, and once all do, their calls are done together. A member that throws before it wrote anything
 * leaves the others alone. Throws where a statement failed, or a member that had written: nothing may be committed then.
 * Members of one caller may wait for what other transactions have locked (`waits`); those of many never do.
 */
export async function together<Result>(
  db: Db,
  members: readonly Member<Result>[],
  { waits = false }: { waits?: boolean } = {},
): Promise<PromiseSettledResult<Result>[]> {
  const shared = new SharedTransaction(db, members.length, waits);
  const running: Promise<Result>[] = [];
  for (const [i, member] of members.entries()) {
    if (i % membersPerTurn === membersPerTurn - 1) await setImmediate();
    running.push(shared.run(member));
    // What became of it is asked for once all have begun.
    running[i]!.catch(() => undefined);
  }
  const results = await Promise.allSettled(running);
  shared.throwIfFailed();
  return results;
}

/** So many go on in one turn of the event loop: all other requests wait meanwhile. */
const membersPerTurn = 50;

interface Asked {
  member: MemberDb;
  call: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Waves of calls: the next begins when no member has anything left to do without the database. */
class SharedTransaction {
  readonly #db: Db;
  readonly #asked = new Map<Gathered<unknown, unknown>, Asked[]>();
  readonly waits: boolean;
  /** The member that took a name last: the hash of a lock, or what is changed. One that took it before ends before. */
  readonly latest = new Map<string, MemberDb>();
  /** What its statements are part of: they are sent when the last member waits, whichever that is. */
  readonly #trace: Trace | undefined = tracing?.active();
  /** Members that neither wait nor have ended. */
  #running: number;
  #isFlushing = false;
  /** What failed, and what all others are given for it. */
  #failure: { error: unknown; forOthers: Error } | undefined;

  constructor(db: Db, members: number, waits: boolean) {
    this.#db = db;
    this.#running = members;
    this.waits = waits;
  }

  async run<Result>(member: Member<Result>): Promise<Result> {
    const own = new MemberDb(this);
    try {
      return await member(own);
    } catch (error) {
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

  ask<Call, Result>(member: MemberDb, gathered: Gathered<Call, Result>, call: Call): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure.forOthers);
    if (gathered.isLast) member.end();
    return new Promise((resolve, reject) => {
      const key = gathered as Gathered<unknown, unknown>;
      const asked = this.#asked.get(key);
      const one: Asked = { member, call, resolve: resolve as (result: unknown) => void, reject };
      if (asked) asked.push(one);
      else this.#asked.set(key, [one]);
      this.rest();
    });
  }

  /** A member waits, or has ended. */
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

  #next(): [Gathered<unknown, unknown>, Asked[]] | undefined {
    const all = [...this.#asked];
    return all.find(([gathered]) => !gathered.isLast) ?? all[0];
  }

  async #carryOut(gathered: Gathered<unknown, unknown>, asked: readonly Asked[]): Promise<void> {
    const [now, later] = distinct(asked, gathered);
    if (later.length > 0) this.#asked.set(gathered, later);
    else this.#asked.delete(gathered);
    try {
      const results = await gathered.run(
        this.#db,
        now.map(({ call }) => call),
      );
      for (const [i, { member, resolve }] of now.entries()) {
        if (i % membersPerTurn === membersPerTurn - 1) await setImmediate();
        member.hasWritten ||= gathered.wrote?.(results[i]) ?? false;
        this.resume();
        resolve(results[i]);
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

/** The first call of each key, and those that come after it. */
function distinct(asked: readonly Asked[], { keyOf }: Gathered<unknown, unknown>): [Asked[], Asked[]] {
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

class MemberDb implements SharedDb {
  hasWritten = false;
  readonly #shared: SharedTransaction;
  readonly #waiting: (() => void)[] = [];
  #hasEnded = false;
  #isFollowed = false;

  constructor(shared: SharedTransaction) {
    this.#shared = shared;
  }

  get waits(): boolean {
    return this.#shared.waits;
  }

  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.ask(oneByOne(prepared), values);
  }

  ask<Call, Result>(gathered: Gathered<Call, Result>, call: Call): Promise<Result> {
    return this.#shared.ask(this, gathered, call);
  }

  async tryLock(texts: readonly string[]): Promise<string | undefined> {
    const tried = await this.ask(this.waits ? waitForLocks : tryLocks, texts);
    const busy = tried.find(({ isLocked }) => !isLocked);
    if (busy) return busy.text;
    const taken = await this.follow(tried.map(({ hash }) => hash));
    return tried.find(({ hash }) => hash === taken)?.text;
  }

  async follow(names: readonly string[]): Promise<string | undefined> {
    const { latest } = this.#shared;
    const taken = names.filter((name) => !this.#isFree(latest.get(name)));
    // A member that others may wait for never waits itself, so that no two wait for each other.
    if (this.#isFollowed && taken.length > 0) return taken[0];
    const before = new Set(taken.map((name) => latest.get(name)!));
    for (const name of names) latest.set(name, this);
    this.#isFollowed ||= names.length > 0;
    for (const member of before) if (!member.#hasEnded) await member.#ended();
    return undefined;
  }

  #isFree(holder: MemberDb | undefined): boolean {
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
