import type { Db } from '@relata/db';
import { Loop } from '@relata/runtime';
import { recordKeyUses } from './api-key.sql.ts';

const flushEveryMs = 5_000;

type UsedKey = { orgId: string; keyId: string };

/** Collects the last use of each key, and writes these times every 5 seconds instead of at each request. */
export class KeyUses implements AsyncDisposable {
  #latest = new Map<string, { key: UsedKey; at: number }>();
  readonly #db: Db;
  readonly #onError: (error: unknown) => void;
  readonly #loop: Loop;

  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#loop = new Loop(() => this.#flush(), onError).start(flushEveryMs);
  }

  note(key: UsedKey, at: number): void {
    const latest = this.#latest.get(key.keyId);
    if (latest) latest.at = at;
    else this.#latest.set(key.keyId, { key, at });
  }

  async #flush(): Promise<number> {
    if (this.#latest.size === 0) return flushEveryMs;
    const gathered = this.#latest;
    this.#latest = new Map();
    const uses = [...gathered.values()].map(({ key: { orgId, keyId }, at }) => ({
      orgId,
      keyId,
      at: new Date(at).toISOString(),
    }));
    // At worst the uses of the last few seconds are lost.
    await recordKeyUses(this.#db, uses).catch(this.#onError);
    return flushEveryMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#flush();
  }
}
