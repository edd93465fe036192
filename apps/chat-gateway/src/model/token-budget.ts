import { createHmac } from 'node:crypto';
import type { Db } from '@relata/db';
import { Batcher, type Log, Loop, unlessAborted } from '@relata/runtime';
import { LRUCache } from 'lru-cache';
import { clientGroups } from '../admission/client-groups.ts';
import { addTokens, dropClientUsage, type Owner } from './token-usage.sql.ts';

export interface Asker {
  orgId: string;
  ip: string;
}

export interface Reservation {
  /** Charges the used tokens, and releases the other reserved tokens. */
  settle(tokens: number): void;
}

export interface TokenBudgetOptions {
  db: Db;
  /** Daily tokens of an organization, and of one of its clients; null for no limit. */
  daily: number | null;
  dailyPerIp: number | null;
  /**
   * Key for hashing client IPs. Without the key, a copy of the database does not reveal the IPs, even by hashing all
   * possible IPs.
   */
  secret: string;
  log: Log;
  spendersMax?: number;
}

/** An organization or client on one day, with the state that this process keeps about it. */
interface Spender extends Owner {
  /** Daily tokens. */
  most: number;
  /** Tokens that the next statement adds to the total in the database; negative if fewer were used than reserved. */
  owed: number;
  /** Time, on the clock of `performance.now()`, until which requests for its tokens are refused without a statement. */
  exhaustedUntil: number;
}

/** A request for the tokens that an answer may need. With 0 tokens it only writes the owed tokens. */
interface Ask {
  party: string[];
  spenders: Spender[];
  tokens: number;
}

const hashBytes = 16;
/** Maximum wait for the database, so that a database that hangs does not delay visitors for long. */
const reserveMaxMs = 3_000;
const exhaustedMs = 1_000;
const writeEveryMs = 1_000;
const dropEveryMs = 3_600_000;
const dropMax = 5_000;
const asksMax = 1_000;
const waitingMax = 20_000;

/**
 * Limits the tokens that an organization, and each of its clients, spends on the model per day, across all replicas. An
 * IPv6 site gets four times the tokens of a client. Before an answer begins, the tokens that it may need are added to
 * the totals in the database. Unused tokens are subtracted when it has ended. Answers that begin while a statement runs
 * share the next statement. Tokens reserved by a process that is killed count as spent.
 */
export class TokenBudget implements AsyncDisposable {
  readonly #options: TokenBudgetOptions;
  readonly #spenders: LRUCache<string, Spender>;
  readonly #owing = new Set<Spender>();
  /**
   * Answers requests for tokens in batches. The result is the spender that has too few tokens left; undefined if the
   * tokens were granted.
   */
  readonly #asks = new Batcher<Ask, Spender | undefined>({
    run: (asks) => this.#answer(asks),
    isItemFault: () => false,
    partyOf: ({ party }) => party,
    itemsMax: asksMax,
    flushers: 1,
    waitingMax,
  });
  readonly #loops: readonly Loop[];

  constructor(options: TokenBudgetOptions) {
    this.#options = options;
    this.#spenders = new LRUCache({ max: options.spendersMax ?? 20_000 });
    const onError = (err: unknown) => options.log.warn({ err }, 'deleting the token counts of earlier days failed');
    this.#loops = [
      new Loop(() => this.#writeOwed().then(() => writeEveryMs), onError).start(writeEveryMs),
      new Loop((signal) => this.#dropOld(signal), onError).start(),
    ];
  }

  /**
   * Reserves tokens of the organization and the client. Returns undefined, and logs the reason, if the organization has
   * fewer than `tokens` left, the client has none left, or the database fails or does not answer within `maxMs`. A
   * client needs only one token left. Otherwise, a client whose share is smaller than one answer would never get any.
   */
  async reserve({ orgId, ip }: Asker, tokens: number, maxMs = reserveMaxMs): Promise<Reservation | undefined> {
    const { log } = this.#options;
    const spenders = this.#spendersOf(orgId, ip);
    const exhausted = spenders.findLast(({ exhaustedUntil }) => performance.now() < exhaustedUntil);
    try {
      const refusing = exhausted ?? (await this.#ask({ party: [orgId], spenders, tokens }, maxMs));
      if (!refusing) return { settle: (used) => this.#settle(spenders, used - tokens) };
      const whose =
        refusing.client === null
          ? 'the daily tokens are used up; the built-in model answers'
          : 'the daily tokens of one client are used up; the built-in model answers this client';
      log.info({ org_id: orgId }, whose);
    } catch (err) {
      log.warn({ org_id: orgId, err }, 'the daily tokens could not be counted; the built-in model answers');
    }
    return undefined;
  }

  #spendersOf(orgId: string, ip: string): Spender[] {
    const { daily, dailyPerIp } = this.#options;
    const day = new Date().toISOString().slice(0, 10);
    const own = daily === null ? [] : [this.#spenderOf(orgId, day, null, daily)];
    if (dailyPerIp === null) return own;
    const clients = clientGroups(ip).map(({ name, times }) => this.#spenderOf(orgId, day, name, dailyPerIp * times));
    return [...own, ...clients];
  }

  #spenderOf(orgId: string, day: string, group: string | null, most: number): Spender {
    const name = `${day} ${orgId} ${group ?? ''}`;
    let spender = this.#spenders.get(name);
    if (spender) return spender;
    spender = { orgId, day, client: group && this.#hash(name), most, owed: 0, exhaustedUntil: 0 };
    this.#spenders.set(name, spender);
    return spender;
  }

  #hash(name: string): string {
    const digest = createHmac('sha256', this.#options.secret).update(`relata chat client ${name}`).digest();
    return digest.subarray(0, hashBytes).toString('hex');
  }

  async #ask(ask: Ask, maxMs: number): Promise<Spender | undefined> {
    const asked = this.#asks.add(ask);
    const late = new AbortController();
    const error = new Error(`The daily token budget could not be checked within ${maxMs} ms.`);
    const timeout = setTimeout(() => late.abort(error), maxMs);
    try {
      return await unlessAborted(asked, late.signal);
    } catch (reason) {
      // Releases tokens that are granted after the timeout.
      asked.then((refusing) => refusing ?? this.#settle(ask.spenders, -ask.tokens)).catch(() => {});
      throw reason;
    } finally {
      clearTimeout(timeout);
    }
  }

  /**
   * Charges tokens, or releases them if the number is negative. Writes tokens used beyond the reservation at once, even
   * if they exceed the budget, so that other replicas count them.
   */
  #settle(spenders: readonly Spender[], tokens: number): void {
    if (tokens === 0) return;
    for (const spender of spenders) {
      this.#owe(spender, tokens);
      if (tokens < 0) spender.exhaustedUntil = 0;
    }
    if (tokens > 0) void this.#writeOwed();
  }

  #owe(spender: Spender, tokens: number): void {
    spender.owed += tokens;
    this.#owing.add(spender);
  }

  /**
   * Waits for the running statement and the next statement, which writes the owed tokens. If the latter fails, the
   * tokens stay owed.
   */
  async #writeOwed(): Promise<void> {
    await this.#asks.add({ party: [], spenders: [], tokens: 0 }).catch(() => {});
  }

  /**
   * Adds the requested tokens and all owed tokens to the totals. Grants the requests for which enough tokens are left.
   */
  async #answer(asks: readonly Ask[]): Promise<(Spender | undefined)[]> {
    const asked = new Map([...this.#owing].map((spender) => [spender, 0]));
    for (const { spenders, tokens } of asks)
      for (const spender of spenders) asked.set(spender, (asked.get(spender) ?? 0) + tokens);
    const changes = [...asked].map(([owner, tokens]) => ({ owner, owed: owner.owed, tokens: owner.owed + tokens }));
    const totals = changes.length === 0 ? [] : await this.#add(changes);
    const rooms = new Map(changes.map(({ owner }, at) => [owner, owner.most - totals[at]! + asked.get(owner)!]));
    return asks.map((ask) => this.#grant(ask, rooms));
  }

  /** Writes the changes. If that fails, the owed tokens stay owed, and a later statement writes them. */
  async #add(changes: readonly { owner: Spender; owed: number; tokens: number }[]): Promise<number[]> {
    for (const { owner } of changes) owner.owed = 0;
    this.#owing.clear();
    try {
      return await addTokens(this.#options.db, changes);
    } catch (err) {
      for (const { owner, owed } of changes) if (owed !== 0) this.#owe(owner, owed);
      this.#options.log.warn({ err }, 'writing used tokens failed');
      throw err;
    }
  }

  /**
   * Returns the spender that has too few tokens left for a request; undefined if the request is granted. The tokens of
   * a refused request are subtracted again.
   */
  #grant({ spenders, tokens }: Ask, rooms: Map<Spender, number>): Spender | undefined {
    const refusing = spenders.findLast((spender) => rooms.get(spender)! < (spender.client === null ? tokens : 1));
    for (const spender of spenders) {
      if (refusing) this.#owe(spender, -tokens);
      else rooms.set(spender, rooms.get(spender)! - tokens);
    }
    if (refusing && rooms.get(refusing)! <= 0) refusing.exhaustedUntil = performance.now() + exhaustedMs;
    return refusing;
  }

  /** Deletes the rows of clients from earlier days. Runs hourly, so a row is deleted within an hour after its day. */
  async #dropOld(signal: AbortSignal): Promise<number> {
    const today = new Date().toISOString().slice(0, 10);
    while (!signal.aborted && (await dropClientUsage(this.#options.db, today, dropMax)).dropped === dropMax);
    return dropEveryMs;
  }

  /** Stops the budget, and writes the owed tokens. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
    await this.#writeOwed();
    // That statement may have refused waiting requests, or granted them too late. Writes the tokens that these
    // released.
    if (this.#owing.size > 0) await this.#writeOwed();
  }
}
