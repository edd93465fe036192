import type { Db } from '@relata/db';
import { recordKeyUses } from './api-key.sql.ts';
import type { Caller } from './caller.ts';

const flushEveryMs = 5_000;

/** Gathers when keys were used and writes it now and then: never one write a request. */
export class KeyUses implements AsyncDisposable {
  #latest = new Map<string, { caller: Caller; at: number }>();
  readonly #db: Db;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Db, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#flush(), flushEveryMs).unref();
  }

  note(caller: Caller, at: number): void {
    const latest = this.#latest.get(caller.keyId);
    if (latest) latest.at = at;
    else this.#latest.set(caller.keyId, { caller, at });
  }

  async #flush(): Promise<void> {
    if (this.#latest.size === 0) return;
    const gathered = this.#latest;
    this.#latest = new Map();
    const uses = [...gathered.values()].map(({ caller, at }) => ({
      orgId: caller.orgId,
      keyId: caller.keyId,
      at: new Date(at).toISOString(),
    }));
    // Lost at worst: when a key was used in the last few seconds.
    await recordKeyUses(this.#db, uses).catch(this.#onError);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }
}
