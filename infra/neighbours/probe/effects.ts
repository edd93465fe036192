import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase, statement } from '@relata/db';

/**
 * Reads when each contact was committed, as the server recorded it, so that rare polling does not change the
 * measurement.
 */
const committed = statement<{ email: string; at: number }>(
  'neighbours.committed',
  `SELECT email, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at
   FROM contacts WHERE org_id = $1 AND email = ANY ($2)`,
);

const lookEveryMs = 100;

/** Waits for contacts that runs create. */
export class Effects {
  readonly #database: Database;
  readonly #orgId: string;
  readonly #awaited = new Map<string, (at: number) => void>();
  #isLooking = false;

  constructor(databaseUrl: string, orgId: string) {
    this.#database = openDatabase({ url: databaseUrl, name: 'neighbours-effects', poolMax: 1 });
    this.#orgId = orgId;
  }

  /**
   * Resolves to the time at which the contact with this address was committed, by `performance.now()`; rejects once the
   * signal is aborted.
   */
  async committed(email: string, signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#awaited.set(email, resolve);
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    this.#look().catch(reject);
    try {
      return (await promise) - performance.timeOrigin;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#awaited.delete(email);
    }
  }

  /** Polls for all awaited contacts with one query. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#awaited.size > 0) {
        await pause(lookEveryMs);
        const found = await this.#database.query(committed, [this.#orgId, [...this.#awaited.keys()]]);
        for (const { email, at } of found) this.#awaited.get(email)?.(at);
      }
    } finally {
      this.#isLooking = false;
    }
  }
}
