import { type Db, listWith } from '@relata/db';
import { keyChanged, type Messaging } from '@relata/messaging';

const listOrigins = listWith<{ origin: string }>(
  'api_keys.origins',
  `SELECT DISTINCT unnest(origins) AS origin FROM api_keys
   WHERE kind = 'publishable' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

/** Time for which the set of origins is cached, in ms. */
const cachedMs = 25_000;

/** Minimum time between two look-ups caused by unknown origins, in ms. */
const missAgainMs = 100;

interface CachedOrigins {
  at: number;
  origins: Promise<ReadonlySet<string>>;
}

/**
 * The origins of all publishable keys. A preflight request does not contain the key, so only its origin can be checked.
 * The whole set is cached, so that a flood of unknown origins causes at most ten look-ups per second.
 */
export class KnownOrigins {
  readonly #db: Db;
  #cached: CachedOrigins | undefined;
  /**
   * The last set that was read. It is used while the database is unavailable, so that pages can read the error
   * response.
   */
  #last: ReadonlySet<string> | undefined;

  constructor(db: Db, messaging: Messaging) {
    this.#db = db;
    messaging.subscribe(keyChanged, () => (this.#cached = undefined));
    messaging.onReconnect(() => (this.#cached = undefined));
  }

  /** Returns true if any valid key permits this origin. */
  async has(origin: string): Promise<boolean> {
    const known = await this.#originsYoungerThan(cachedMs);
    return known.has(origin) || (await this.#originsYoungerThan(missAgainMs)).has(origin);
  }

  #originsYoungerThan(ageMs: number): Promise<ReadonlySet<string>> {
    if (!this.#cached || performance.now() - this.#cached.at > ageMs) this.#cached = this.#ask();
    return this.#cached.origins;
  }

  #ask(): CachedOrigins {
    const read = listOrigins(this.#db).then((rows) => (this.#last = new Set(rows.map(({ origin }) => origin))));
    const asked = {
      at: performance.now(),
      origins: read.catch((error: unknown) => this.#last ?? Promise.reject(error)),
    };
    asked.origins.catch(() => {
      if (this.#cached === asked) this.#cached = undefined;
    });
    return asked;
  }
}
