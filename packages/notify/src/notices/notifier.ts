import type { Database } from '@relata/db';
import { jittered, type Log, Loop } from '@relata/runtime';
import { kinds } from '../kinds/kinds.ts';
import { type Claim, claimChannels, giveUpOld, releaseChannel } from './claim.sql.ts';
import { sendNotices, type SendOptions } from './send-notices.ts';

export interface NotifierOptions extends Pick<SendOptions, 'keys' | 'guard' | 'consoleUrl'> {
  database: Database;
  log: Log;
  /** Minimum time between two messages about one cause; an hour by default. */
  quietMs?: number;
  /** Pause between two rounds; a second by default. */
  everyMs?: number;
}

/**
 * Maximum numbers of channels that this worker posts to at the same time: channels that work, and channels whose last
 * message failed. Failing channels may use their whole timeout without delaying the others.
 */
const channelsMax = 8;
const failingMax = 4;

/** Lease of a claim. It is longer than any claim lasts, so it expires only if the worker is gone. */
const leaseMs = 120_000;

const hourMs = 3_600_000;
const secondMs = 1_000;

/** Notifies the teams of organizations about failures. Any number of workers share this work. */
export class Notifier implements AsyncDisposable {
  readonly #options: NotifierOptions;
  readonly #quietMs: number;
  readonly #stopping = new AbortController();
  readonly #sending = { healthy: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  readonly #loop: Loop;

  constructor(options: NotifierOptions) {
    const { log, quietMs = hourMs, everyMs = secondMs } = options;
    this.#options = options;
    this.#quietMs = quietMs;
    const round = async () => ((await this.#round()) ? 0 : jittered(everyMs));
    this.#loop = new Loop(round, (error) => log.warn({ err: error }, 'notices failed'));
  }

  start(): this {
    this.#loop.start(jittered(this.#options.everyMs ?? secondMs));
    return this;
  }

  /** Waits for the messages that are being posted, at most five seconds each. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#loop[Symbol.asyncDispose]();
    await Promise.all([...this.#sending.healthy, ...this.#sending.failing]);
  }

  /** Collects notices and claims channels. Returns true if there is more to collect. Does not wait for the posts. */
  async #round(): Promise<boolean> {
    const isFull = await this.#collect();
    await this.#claim(false);
    await this.#claim(true);
    return isFull;
  }

  async #collect(): Promise<boolean> {
    const { database, log } = this.#options;
    let isFull = false;
    for (const [kind, { collect }] of Object.entries(kinds)) {
      try {
        const collected = await collect?.(database, this.#quietMs);
        isFull ||= collected?.is_full === true;
      } catch (error) {
        // A failure of one kind does not prevent the collection of the others.
        if (!this.#stopping.signal.aborted) log.warn({ err: error, kind }, 'collecting notices failed');
      }
    }
    return isFull;
  }

  async #claim(isFailing: boolean): Promise<void> {
    const [sending, max] = isFailing ? [this.#sending.failing, failingMax] : [this.#sending.healthy, channelsMax];
    if (sending.size >= max) return;
    for (const claim of await claimChannels(this.#options.database, max - sending.size, leaseMs, isFailing)) {
      const work = this.#send(claim).finally(() => sending.delete(work));
      sending.add(work);
    }
  }

  /**
   * Sends the notices of a claim. Never rejects. After an unexpected error the lease expires, and the notices are due
   * again after the quiet time.
   */
  async #send(claim: Claim): Promise<void> {
    const { database: db, log, keys, guard, consoleUrl } = this.#options;
    const about = { org_id: claim.org_id };
    try {
      const given = { db, keys, guard, consoleUrl, quietMs: this.#quietMs, signal: this.#stopping.signal };
      const outcome = await sendNotices(given, claim);
      const { given_up: givenUp } = outcome.error ? await giveUpOld(db, claim.org_id) : { given_up: 0 };
      await releaseChannel(db, claim, outcome);
      if (outcome.error) log.warn({ ...about, ...outcome.error, given_up: givenUp }, 'message to the team failed');
    } catch (error) {
      log.warn({ ...about, err: error }, 'message to the team failed');
    }
  }
}
