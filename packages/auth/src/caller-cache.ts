import { setTimeout as pause } from 'node:timers/promises';
import { type Db, isDatabaseOutage } from '@relata/db';
import { keyChanged, type Messaging } from '@relata/messaging';
import { Batcher } from '@relata/runtime';
import { LRUCache } from 'lru-cache';
import { findCallers } from './api-key.sql.ts';
import type { Caller } from './caller.ts';
import { hashCredential, isSameHash, isWellFormed } from './key-format.ts';
import { KeyUses } from './key-uses.ts';

/** Time until a caller is looked up again. If NATS does not carry a revocation, the key works at most this long. */
const freshMs = 4_000;
/** Time for which a caller is kept, to be used while the database is unavailable. */
const cachedMs = 25_000;
/** Maximum wait for a new look-up of a cached caller. After it, the cached caller is used. */
const silentMs = 1_000;
const cachedMax = 10_000;
/** Anyone can invent well-formed keys, so unknown ones are cached separately, where they evict no real key. */
const unknownMs = 5_000;
const unknownMax = 1_000;

export interface CallerCacheOptions {
  db: Db;
  messaging: Messaging;
  onError: (error: unknown) => void;
}

/** Finds the caller of a key. Callers are cached, so that a request rarely queries the database. */
export class CallerCache implements AsyncDisposable {
  readonly #known = new LRUCache<string, Caller>({ max: cachedMax, ttl: cachedMs });
  readonly #unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownMs });
  /** Look-ups in progress: many requests with the same uncached key share one. */
  readonly #asked = new Map<string, Promise<Caller | undefined>>();
  readonly #lookUps: Batcher<string, Caller | undefined>;
  readonly #uses: KeyUses;

  constructor({ db, messaging, onError }: CallerCacheOptions) {
    this.#lookUps = lookUpsIn(db);
    this.#uses = new KeyUses(db, onError);
    messaging.subscribe(keyChanged, ({ hash }) => this.#forget(hash));
    // A revocation may have been missed while NATS was unavailable.
    messaging.onReconnect(() => this.#forgetAll());
  }

  /**
   * Returns the caller; undefined if the key is malformed, unknown, revoked or expired. Returns a promise only if it
   * queries the database: for a key that was not looked up within 4 s.
   */
  identify(key: string): Caller | undefined | Promise<Caller | undefined> {
    if (!isWellFormed(key)) return undefined;
    const hash = hashCredential(key);
    const cached = this.#known.get(hash);
    if (cached === undefined) return this.#unknown.has(hash) ? undefined : this.#look(hash);
    if (this.#known.getRemainingTTL(hash) > cachedMs - freshMs) return this.#accept(cached);
    // If the database is unavailable or silent, cached callers are used until they leave the cache.
    const accept = () => this.#accept(cached);
    return Promise.race([this.#look(hash).catch(accept), pause(silentMs, undefined, { ref: false }).then(accept)]);
  }

  async #look(hash: string): Promise<Caller | undefined> {
    const asking = this.#asked.getOrInsertComputed(hash, () => this.#lookUps.add(hash));
    try {
      const found = await asking;
      // If the key changed in the meantime, the result is not cached: it is valid for requests that asked before the
      // change, but not for later ones.
      if (this.#asked.get(hash) === asking) this.#keep(hash, found);
      return found && this.#accept(found);
    } finally {
      if (this.#asked.get(hash) === asking) this.#asked.delete(hash);
    }
  }

  #keep(hash: string, found: Caller | undefined): void {
    if (found) this.#known.set(hash, found);
    else {
      this.#known.delete(hash);
      this.#unknown.set(hash, true);
    }
  }

  #accept(found: Caller): Caller | undefined {
    const now = Date.now();
    if (found.expiresAt !== null && Date.parse(found.expiresAt) <= now) return undefined;
    this.#uses.note(found, now);
    return found;
  }

  #forget(hash: string): void {
    this.#known.delete(hash);
    this.#unknown.delete(hash);
    this.#asked.delete(hash);
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#asked.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#uses[Symbol.asyncDispose]();
  }
}

/**
 * Creates the batcher of look-ups. A flood of uncached keys uses at most two connections, and leaves the others to
 * known keys.
 */
function lookUpsIn(db: Db): Batcher<string, Caller | undefined> {
  return new Batcher({
    run: (hashes) => findAll(db, hashes),
    isItemFault: () => false,
    isOutage: isDatabaseOutage,
    itemsMax: 100,
    flushers: 2,
    waitingMax: 5_000,
  });
}

async function findAll(db: Db, hashes: readonly string[]): Promise<(Caller | undefined)[]> {
  const byHash = new Map((await findCallers(db, hashes)).map((found) => [found.keyHash, found]));
  return hashes.map((hash) => {
    const found = byHash.get(hash);
    return found && isSameHash(found.keyHash, hash) ? found : undefined;
  });
}
