import { type Db, statement } from '@relata/db';
import { keyChanged, type Messaging } from '@relata/messaging';
import { cachedMs } from './keyring.ts';

const list = statement<{ origin: string }>(
  'api_keys.origins',
  `SELECT DISTINCT unnest(origins) AS origin FROM api_keys
   WHERE kind = 'publishable' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

/** An unknown origin is looked up again after this time, not with every request. */
const missAgainMs = 100;

interface Answer {
  at: number;
  origins: Promise<ReadonlySet<string>>;
}

/**
 * The origins of all publishable keys. A browser asks whether it may send a request before it shows the key, and this
 * is what can be answered then. The whole set is cached: origins that nobody has a key for cost next to no look-ups.
 */
export class KnownOrigins {
  readonly #db: Db;
  #answer: Answer | undefined;
  /** Used while the database is away, so that pages can read the error that says so. */
  #last: ReadonlySet<string> | undefined;

  constructor(db: Db, messaging: Messaging) {
    this.#db = db;
    messaging.subscribe(keyChanged, () => (this.#answer = undefined));
    messaging.onReconnect(() => (this.#answer = undefined));
  }

  /** Returns true if any key that works is for this origin. */
  async has(origin: string): Promise<boolean> {
    const known = await this.#youngerThan(cachedMs);
    return known.has(origin) || (await this.#youngerThan(missAgainMs)).has(origin);
  }

  #youngerThan(ageMs: number): Promise<ReadonlySet<string>> {
    if (!this.#answer || performance.now() - this.#answer.at > ageMs) this.#answer = this.#ask();
    return this.#answer.origins;
  }

  #ask(): Answer {
    const read = this.#db.query(list, []).then((rows) => (this.#last = new Set(rows.map(({ origin }) => origin))));
    const answer = {
      at: performance.now(),
      origins: read.catch((error: unknown) => this.#last ?? Promise.reject(error)),
    };
    answer.origins.catch(() => {
      if (this.#answer === answer) this.#answer = undefined;
    });
    return answer;
  }
}
