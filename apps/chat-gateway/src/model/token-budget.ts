import { createHmac } from 'node:crypto';
import type { Db } from '@relata/db';
import { type Log, Loop } from '@relata/runtime';
import { LRUCache } from 'lru-cache';
import { clientGroupsOf } from '../admission/client-groups.ts';
import { TokenLease } from './token-lease.ts';
import { addTokens, dropClientUsage } from './token-usage.sql.ts';

/** The organization and the client that spend tokens. */
export interface Asker {
  orgId: string;
  ip: string;
}

export interface Reservation {
  /** Reports the number of used tokens. */
  settle(tokens: number): void;
}

export interface TokenBudgetOptions {
  db: Db;
  /** Daily tokens of an organization, and of one of its clients; null for no limit. */
  daily: number | null;
  dailyPerIp: number | null;
  /** Key for hashing addresses, so that a copy of the database alone does not reveal them by trying all. */
  secret: string;
  log: Log;
  leasesMax?: number;
}

/** Share of an organization's day that a process leases ahead of its answers. */
const aheadShare = 0.02;
const hashBytes = 16;
/** A database that hangs must not delay visitors. */
const reserveMaxMs = 3_000;
const writeEveryMs = 1_000;
const dropEveryMs = 3_600_000;
const rowsMax = 5_000;

/**
 * Limits the tokens that an organization, and each of its clients, spends on the model per day, across all replicas; an
 * IPv6 site has a few times the share of a client. Each process leases tokens in the database and spends from them; all
 * callers that arrive while a statement runs share the next one. Tokens leased by a process that is killed count as
 * spent.
 */
export class TokenBudget implements AsyncDisposable {
  readonly #options: TokenBudgetOptions;
  readonly #leases: LRUCache<string, TokenLease>;
  readonly #changed = new Set<TokenLease>();
  readonly #loops: readonly Loop[];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: TokenBudgetOptions) {
    this.#options = options;
    this.#leases = new LRUCache({ max: options.leasesMax ?? 20_000, dispose: (lease) => this.#end(lease) });
    const onError = (err: unknown) => options.log.warn({ err }, 'dropping the clients of earlier days failed');
    this.#loops = [
      new Loop(() => this.#writeAgain(), onError).start(writeEveryMs),
      new Loop((signal) => this.#dropOld(signal), onError).start(),
    ];
  }

  /**
   * Reserves tokens of the organization and the client. Returns undefined, and logs the reason, if either has none left
   * or the database does not answer in time. A client's rest need not be enough for the answer, since a share smaller
   * than one answer would otherwise never permit any.
   */
  async reserve({ orgId, ip }: Asker, tokens: number, maxMs = reserveMaxMs): Promise<Reservation | undefined> {
    const leases = this.#leasesOf(orgId, ip);
    const taken = await Promise.allSettled(leases.map((lease) => this.#take(lease, tokens, maxMs)));
    const isGiven = (at: number) => {
      const result = taken[at]!;
      return result.status === 'fulfilled' && result.value;
    };
    const settle = (used: number) => leases.forEach((lease, at) => isGiven(at) && this.#giveBack(lease, tokens - used));
    const refused = leases.findLastIndex((_, at) => !isGiven(at));
    if (refused === -1) return { settle };
    settle(0);
    this.#logRefusal(orgId, leases[refused]!, taken[refused]!);
    return undefined;
  }

  #logRefusal(orgId: string, { owner }: TokenLease, result: PromiseSettledResult<boolean>): void {
    const { log } = this.#options;
    const about = { org_id: orgId };
    if (result.status === 'rejected')
      log.warn({ ...about, err: result.reason }, 'the daily tokens could not be counted; the built-in model answers');
    else if (owner.client === null) log.info(about, 'the daily tokens are used up; the built-in model answers');
    else log.info(about, 'the daily tokens of one client are used up; the built-in model answers it');
  }

  #leasesOf(orgId: string, ip: string): TokenLease[] {
    const { daily, dailyPerIp } = this.#options;
    const day = new Date().toISOString().slice(0, 10);
    const own = daily === null ? [] : [this.#leaseOf(orgId, day, null, daily)];
    if (dailyPerIp === null) return own;
    return [
      ...own,
      ...clientGroupsOf(ip).map(({ name, times }) => this.#leaseOf(orgId, day, name, dailyPerIp * times)),
    ];
  }

  #leaseOf(orgId: string, day: string, group: string | null, most: number): TokenLease {
    const name = `${day} ${orgId} ${group ?? ''}`;
    let lease = this.#leases.get(name);
    if (lease) return lease;
    const owner = { orgId, day, client: group && this.#hash(name) };
    const isWhole = group === null;
    lease = new TokenLease({ owner, most, needsWhole: isWhole, ahead: isWhole ? Math.floor(most * aheadShare) : 0 });
    this.#leases.set(name, lease);
    return lease;
  }

  #hash(name: string): string {
    const digest = createHmac('sha256', this.#options.secret).update(`relata chat client ${name}`).digest();
    return digest.subarray(0, hashBytes).toString('hex');
  }

  async #take(lease: TokenLease, tokens: number, maxMs: number): Promise<boolean> {
    const known = lease.tryTake(tokens);
    if (known !== undefined) return known;
    const asked = lease.ask(tokens);
    this.#changed.add(lease);
    void this.#write();
    const late = Promise.withResolvers<never>();
    const error = () => late.reject(new Error(`The tokens of the day were not known within ${maxMs} ms.`));
    const timeout = setTimeout(error, maxMs);
    return Promise.race([asked, late.promise])
      .finally(() => clearTimeout(timeout))
      .catch((reason: unknown) => {
        // Tokens that arrive too late are returned to the lease.
        asked.then((isGiven) => isGiven && this.#giveBack(lease, tokens)).catch(() => {});
        throw reason;
      });
  }

  /**
   * Returns tokens to a lease. Tokens used beyond the reservation are charged at once, even beyond the budget, so that
   * other replicas count them.
   */
  #giveBack(lease: TokenLease, tokens: number): void {
    lease.giveBack(tokens);
    if (!lease.isUneven) return;
    this.#changed.add(lease);
    if (tokens < 0) void this.#write();
  }

  #end(lease: TokenLease): void {
    lease.end();
    if (lease.isUneven) this.#changed.add(lease);
  }

  async #writeAgain(): Promise<number> {
    if (this.#changed.size > 0) await this.#write();
    return writeEveryMs;
  }

  /** Writes all changed leases, one statement at a time. */
  #write(): Promise<void> {
    return (this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      return (this.#writing = this.#writeChanged());
    }));
  }

  async #writeChanged(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (let from = 0; from < changed.length; from += rowsMax)
      await this.#writeLeases(changed.slice(from, from + rowsMax));
  }

  async #writeLeases(leases: readonly TokenLease[]): Promise<void> {
    const changes = leases.map((lease) => lease.begin());
    try {
      const totals = await addTokens(this.#options.db, changes);
      changes.forEach(({ done }, at) => done(totals[at]!));
    } catch (err) {
      for (const { fail } of changes) fail(err);
      this.#options.log.warn({ err }, 'writing used tokens failed');
    }
    for (const lease of leases) if (lease.isUneven) this.#changed.add(lease);
  }

  /**
   * Deletes old rows. Nothing about a client is stored for longer than its day, plus the hour until this runs again.
   */
  async #dropOld(signal: AbortSignal): Promise<number> {
    const today = new Date().toISOString().slice(0, 10);
    while (!signal.aborted && (await dropClientUsage(this.#options.db, today, rowsMax)) === rowsMax);
    return dropEveryMs;
  }

  /** Returns unspent tokens. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
    await Promise.allSettled([this.#next, this.#writing]);
    this.#leases.clear();
    if (this.#changed.size > 0) await this.#write();
  }
}
