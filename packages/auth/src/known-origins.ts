import { type Db, statement } from '@relata/db';
import { keyChanged, type Messaging } from '@relata/messaging';
import { rememberedMs } from './keyring.ts';

const list = statement<{ origin: string }>(
  'api_keys.origins',
  `SELECT DISTINCT unnest(origins) AS origin FROM api_keys
   WHERE kind = 'publishable' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

/** What is not known is asked for anew, but not for every stranger who tries. */
const missAgainMs = 100;

interface Answer {
  at: number;
  origins: Promise<ReadonlySet<string>>;
}

/**
 * The origins of all publishable keys. A browser asks whether it may send a request before it shows the key, and this
 * is what can be said then. They are remembered whole: what strangers ask for costs next to no look-ups.
 */
export class KnownOrigins {
  readonly #db: Db;
  #answer: Answer | undefined;
  /** Goes on holding while the database is away, so that pages can read that it is. */
  #last: ReadonlySet<string> | undefined;

  constructor(db: Db, messaging: Messaging) {
    this.#db = db;
    messaging.subscribe(keyChanged, () => (this.#answer = undefined));
    messaging.onReconnect(() => (this.#answer = undefined));
  }

  /** Whether any key that works is for this origin. */
  async has(origin: string): Promise<boolean> {
    const known = await this.#youngerThan(rememberedMs);
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
