import type { Db } from '@relata/db';
import { keyChanged, type Messaging } from '@relata/messaging';
import { Batcher } from '@relata/runtime';
import { LRUCache } from 'lru-cache';
import { findCallers } from './api-key.sql.ts';
import type { Caller } from './caller.ts';
import { hashCredential, isSameHash, isWellFormed } from './key-format.ts';
import { KeyUses } from './key-uses.ts';

/** Without word from NATS a revoked key works at most this long, and less than the 30 seconds that are promised. */
export const rememberedMs = 25_000;
/** While it is known that NATS is away, nobody tells of a revocation. */
const rememberedAloneMs = 4_000;
const rememberedMax = 10_000;
/** Anyone can make keys up that have the right form: they are cached apart, where they take no room from real ones. */
const unknownMs = 5_000;
const unknownMax = 1_000;

export interface KeyringOptions {
  db: Db;
  messaging: Messaging;
  onError: (error: unknown) => void;
  /** How long an answer is remembered. */
  ttlMs?: number;
}

/** Tells who a key belongs to. Answers are remembered, so that a request seldom asks the database. */
export class Keyring implements AsyncDisposable {
  readonly #messaging: Messaging;
  readonly #ttlMs: number;
  readonly #known: LRUCache<string, Caller>;
  readonly #unknown: LRUCache<string, true>;
  /** Look-ups under way: many requests with a key that is not remembered ask once. */
  readonly #asked = new Map<string, Promise<Caller | undefined>>();
  readonly #lookUps: Batcher<string, Caller | undefined>;
  readonly #uses: KeyUses;

  constructor({ db, messaging, onError, ttlMs = rememberedMs }: KeyringOptions) {
    this.#messaging = messaging;
    this.#ttlMs = ttlMs;
    this.#known = new LRUCache({ max: rememberedMax, ttl: ttlMs });
    this.#unknown = new LRUCache({ max: unknownMax, ttl: Math.min(ttlMs, unknownMs) });
    this.#lookUps = lookUpsIn(db);
    this.#uses = new KeyUses(db, onError);
    messaging.subscribe(keyChanged, ({ hash }) => this.#forget(hash));
    // While NATS was away a revocation may have gone unheard.
    messaging.onReconnect(() => this.#forgetAll());
  }

  /** The caller, or undefined for a key that is malformed, unknown, revoked or expired. At once where it can be. */
  identify(key: string): Caller | undefined | Promise<Caller | undefined> {
    if (!isWellFormed(key)) return undefined;
    const hash = hashCredential(key);
    const remembered = this.#known.get(hash);
    if (remembered === undefined) return this.#unknown.has(hash) ? undefined : this.#look(hash);
    // With the database away as well, what was known goes on holding for its time.
    if (this.#isDoubtful(hash)) return this.#look(hash).catch(() => this.#accept(remembered));
    return this.#accept(remembered);
  }

  #isDoubtful(hash: string): boolean {
    return !this.#messaging.isConnected && this.#known.getRemainingTTL(hash) < this.#ttlMs - rememberedAloneMs;
  }

  async #look(hash: string): Promise<Caller | undefined> {
    const asking = this.#asked.get(hash) ?? this.#lookUps.add(hash);
    this.#asked.set(hash, asking);
    try {
      const found = await asking;
      // Word of a change in between: the answer holds for those who asked before, and for no one after.
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

/** A flood of keys that are not cached takes two connections at most, and leaves the others to those that are. */
function lookUpsIn(db: Db): Batcher<string, Caller | undefined> {
  return new Batcher({
    run: (hashes) => findAll(db, hashes),
    isItemFault: () => false,
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
