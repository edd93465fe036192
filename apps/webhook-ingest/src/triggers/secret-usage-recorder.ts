import type { Db } from '@relata/db';
import { Loop } from '@relata/runtime';
import { recordSecretUsage, type SecretUsage } from '@relata/workflows/intake';
import { LRUCache } from 'lru-cache';

const flushEveryMs = 5_000;
/** Minimum time between two writes for the use of a secret. */
const restMs = 60_000;
const secretsMax = 10_000;

/** Collects which secrets senders used, and writes the time of use about once a minute for each secret. */
export class SecretUsageRecorder implements AsyncDisposable {
  /** Secrets whose use was recorded within a minute. If the cache is too small, some are written more often. */
  readonly #recent = new LRUCache<string, true>({ max: secretsMax, ttl: restMs });
  #noted = new Map<string, SecretUsage>();
  readonly #db: Db;
  readonly #onError: (error: unknown) => void;
  readonly #loop: Loop;

  constructor(db: Db, onError: (error: unknown) => void, everyMs = flushEveryMs) {
    this.#db = db;
    this.#onError = onError;
    const flushing = async () => {
      await this.#flush();
      return everyMs;
    };
    this.#loop = new Loop(flushing, onError).start(everyMs);
  }

  note(orgId: string, triggerId: string, secretId: string): void {
    if (this.#recent.has(secretId) || this.#noted.size === secretsMax) return;
    this.#recent.set(secretId, true);
    this.#noted.set(secretId, { orgId, triggerId, secretId, at: new Date().toISOString() });
  }

  async #flush(): Promise<void> {
    if (this.#noted.size === 0) return;
    const uses = [...this.#noted.values()];
    this.#noted = new Map();
    // If this fails, these uses are lost. The next use of the same secret after a minute is written again.
    await recordSecretUsage(this.#db, uses).catch(this.#onError);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    await this.#flush();
  }
}
