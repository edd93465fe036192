import { type Db, isOutage } from '@relata/db';
import { keyChanged, type Messaging, triggersChanged } from '@relata/messaging';
import { Batcher, type Log } from '@relata/runtime';
import type { SecretKeys } from '@relata/secrets';
import { isUuid } from '@relata/schemas';
import { findTriggerSnapshots, type TriggerSnapshotRow } from '@relata/workflows/intake';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';
import { compileTrigger, type TriggerSnapshot } from './trigger-snapshot.ts';

/** Maximum time until a change takes effect if no message from NATS arrives. */
const knownMs = 4_000;
/** Age after which a request causes another look-up of the trigger, without waiting for it. */
const freshMs = 2_000;
/** Short, so that a new trigger is soon found even if its id was requested before. */
const unknownMs = 1_000;
const triggersMax = 10_000;
/** Anyone can invent ids, so unknown ones are cached separately, where they evict no existing trigger. */
const unknownMax = 1_000;

interface Known {
  trigger: TriggerSnapshot;
  since: number;
}

export interface TriggerCacheOptions {
  db: Db;
  messaging: Messaging;
  log: Log;
  signingKeys?: SecretKeys | undefined;
}

/** Triggers in memory, as the receiver needs them: a delivery rarely waits for the database before it is stored. */
export class TriggerCache {
  readonly #known = new LRUCache<string, Known>({ max: triggersMax, ttl: knownMs });
  readonly #unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownMs });
  /** Look-ups in progress. If the trigger changes during its look-up, the result is returned but not cached. */
  readonly #asked = new Map<string, Promise<TriggerSnapshot | undefined>>();
  readonly #lookUps: Batcher<string, TriggerSnapshot | Refusal | undefined>;
  readonly #log: Log;
  readonly #signingKeys: SecretKeys | undefined;

  constructor({ db, messaging, log, signingKeys }: TriggerCacheOptions) {
    this.#log = log;
    this.#signingKeys = signingKeys;
    this.#lookUps = new Batcher({
      run: (ids) => this.#load(db, ids),
      isItemFault: () => false,
      isOutage,
      itemsMax: 100,
      flushers: 2,
      waitingMax: 5_000,
    });
    messaging.subscribe(triggersChanged, ({ ids }) => ids.forEach((id) => this.#evict(id)));
    // One key may be accepted by many triggers, and keys rarely change.
    messaging.subscribe(keyChanged, () => this.#evictAll());
    messaging.onReconnect(() => this.#evictAll());
  }

  /** Finds the active trigger with this id, in upper or lower case. Returns no promise if it is cached. */
  find(triggerId: unknown): TriggerSnapshot | undefined | Promise<TriggerSnapshot | undefined> {
    const id = String(triggerId).toLowerCase();
    if (!isUuid(id)) return undefined;
    const known = this.#known.get(id);
    if (!known) return this.#unknown.has(id) ? undefined : this.#ask(id);
    if (performance.now() - known.since > freshMs) this.#ask(id).catch(ignore);
    return known.trigger;
  }

  #ask(id: string): Promise<TriggerSnapshot | undefined> {
    const asked = this.#asked.get(id);
    if (asked) return asked;
    const since = performance.now();
    const asking = this.#lookUps.add(id).then((trigger) => {
      if (trigger instanceof Refusal) throw trigger;
      if (this.#asked.get(id) === asking) this.#keep(id, trigger, since);
      return trigger;
    });
    this.#asked.set(id, asking);
    const end = () => void (this.#asked.get(id) === asking && this.#asked.delete(id));
    asking.then(end, end);
    return asking;
  }

  #keep(id: string, trigger: TriggerSnapshot | undefined, since: number): void {
    if (trigger) this.#known.set(id, { trigger, since });
    else {
      this.#known.delete(id);
      this.#unknown.set(id, true);
    }
  }

  async #load(db: Db, ids: string[]): Promise<(TriggerSnapshot | Refusal | undefined)[]> {
    const byId = new Map((await findTriggerSnapshots(db, ids)).map((row) => [row.id, this.#compiled(row)]));
    return ids.map((id) => byId.get(id));
  }

  /**
   * Compiles a trigger. If this release cannot read it, for example because of a newer kind of sender, only this
   * trigger is refused.
   */
  #compiled(row: TriggerSnapshotRow): TriggerSnapshot | Refusal {
    const onFault = (error: unknown) => this.#log.warn({ err: error }, 'definition or secret cannot be read');
    try {
      return compileTrigger(row, this.#signingKeys, onFault);
    } catch (error) {
      this.#log.error({ err: error, trigger_id: row.id }, 'trigger cannot be read');
      return new Refusal('service_unavailable', { retryAfterSeconds: 30 });
    }
  }

  #evict(id: string): void {
    this.#known.delete(id);
    this.#unknown.delete(id);
    this.#asked.delete(id);
  }

  #evictAll(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#asked.clear();
  }
}

/**
 * Ignores a failed refresh: the cached trigger is used until it expires. After that a request waits for the look-up and
 * gets its error.
 */
const ignore = () => undefined;
