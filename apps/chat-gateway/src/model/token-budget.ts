import type { Db } from '@relata/db';
import { chargeTokens, returnTokens, takeTokens } from './chat-usage.sql.ts';

export interface Reservation {
  /** Reports how many tokens were used. */
  settle(tokens: number): void;
}

export interface TokenBudgetOptions {
  db: Db;
  /** Tokens of one organization in a day. */
  daily: number;
  /** Called with the error if used tokens could not be written. */
  onError: (error: unknown) => void;
}

interface Lease {
  day: string;
  left: number;
  /** What answers are waiting for, all together. */
  wanted: number;
}

/** A process takes this share of a day's budget at once, so that few answers wait for the database. */
const leaseShare = 0.02;

/**
 * What an organization may spend on its model in a day, over all replicas. Each process takes a part of the budget in
 * the database and spends from that; what a process that is killed had taken counts as spent.
 */
export class TokenBudget implements AsyncDisposable {
  readonly #db: Db;
  readonly #daily: number;
  readonly #onError: (error: unknown) => void;
  readonly #leases = new Map<string, Lease>();
  readonly #asked = new Map<string, Promise<unknown>>();

  constructor({ db, daily, onError }: TokenBudgetOptions) {
    this.#db = db;
    this.#daily = daily;
    this.#onError = onError;
  }

  /**
   * Sets so many tokens aside; undefined where the day's budget does not hold them. Rejects if the database is down, or
   * does not answer within `maxMs`.
   */
  async reserve(orgId: string, tokens: number, maxMs = 10_000): Promise<Reservation | undefined> {
    const lease = this.#setAside(orgId, tokens) ?? (await this.#setAsideInTime(orgId, tokens, maxMs));
    return lease && { settle: (used) => this.#settle(orgId, lease, tokens - used) };
  }

  async #setAsideInTime(orgId: string, tokens: number, maxMs: number): Promise<Lease | undefined> {
    const waiting = this.#leaseOf(orgId);
    waiting.wanted += tokens;
    const extending = this.#inTurn(orgId, () => this.#extend(orgId, waiting, tokens));
    const late = Symbol('late');
    const timer = Promise.withResolvers<typeof late>();
    const timeout = setTimeout(timer.resolve, maxMs, late);
    const first = await Promise.race([extending, timer.promise]).finally(() => clearTimeout(timeout));
    if (first !== late) return first;
    // Tokens that arrive too late are returned to the lease.
    extending.then((lease) => lease && this.#settle(orgId, lease, tokens), this.#onError);
    throw new Error(`The tokens of the day were not known within ${maxMs} ms.`);
  }

  #setAside(orgId: string, tokens: number): Lease | undefined {
    const lease = this.#leaseOf(orgId);
    if (lease.left < tokens) return undefined;
    lease.left -= tokens;
    return lease;
  }

  /** Tokens used beyond the reservation are charged at once, even beyond the budget, so that other processes count them. */
  #settle(orgId: string, lease: Lease, rest: number): void {
    lease.left += rest;
    if (lease.left >= 0) return;
    const debt = -lease.left;
    lease.left = 0;
    const charging = () => chargeTokens(this.#db, orgId, { day: lease.day, tokens: debt });
    this.#inTurn(orgId, charging).catch(this.#onError);
  }

  /** The lease of the day; what was left of yesterday's is dropped. */
  #leaseOf(orgId: string): Lease {
    const day = new Date().toISOString().slice(0, 10);
    const known = this.#leases.get(orgId);
    if (known?.day === day) return known;
    const lease = { day, left: 0, wanted: 0 };
    this.#leases.set(orgId, lease);
    return lease;
  }

  /** One statement after another for an organization: each builds on what the one before it found. */
  async #inTurn<Result>(orgId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#asked.get(orgId) ?? Promise.resolve();
    const asking = before.then(work, work);
    this.#asked.set(orgId, asking);
    return asking.finally(() => this.#asked.get(orgId) === asking && this.#asked.delete(orgId));
  }

  /** Takes as much as all waiting answers need, so that of many that start at once only the first queries the database. */
  async #extend(orgId: string, lease: Lease, tokens: number): Promise<Lease | undefined> {
    const lacking = Math.max(0, tokens - lease.left);
    const most = Math.max(lacking, lease.wanted - lease.left, Math.floor(this.#daily * leaseShare));
    try {
      if (lacking > 0 && !(await this.#take(orgId, lease, most))) await this.#take(orgId, lease, lacking);
    } finally {
      lease.wanted -= tokens;
    }
    if (lease.left < tokens) return undefined;
    lease.left -= tokens;
    return lease;
  }

  async #take(orgId: string, lease: Lease, tokens: number): Promise<boolean> {
    const isTaken = await takeTokens(this.#db, orgId, { day: lease.day, tokens, most: this.#daily });
    if (isTaken) lease.left += tokens;
    return isTaken;
  }

  /** Gives back what was not spent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#asked.values());
    const unspent = [...this.#leases].filter(([, { left }]) => left > 0);
    this.#leases.clear();
    await Promise.allSettled(
      unspent.map(([orgId, { day, left }]) => returnTokens(this.#db, orgId, { day, tokens: left })),
    );
  }
}
