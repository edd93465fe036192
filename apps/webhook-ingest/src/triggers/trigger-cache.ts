import { type Db, isDatabaseOutage } from '@relata/db';
import { keyChanged, type Messaging, triggersChanged } from '@relata/messaging';
import { Batcher, type Log } from '@relata/runtime';
import type { EncryptionKeys } from '@relata/secrets';
import { isUuid } from '@relata/schemas';
import { findTriggerSnapshots, type TriggerSnapshotRow } from '@relata/workflows/intake';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';
import { type CompileOptions, compileTrigger, type TriggerSnapshot } from './trigger-snapshot.ts';
import { workflowInputs } from './workflow-inputs.ts';

/**
 * Age after which a cached trigger expires: the maximum time until a change takes effect without a message from NATS.
 */
const knownMs = 4_000;
/** Age after which a request starts a new look-up of the trigger without waiting for it. */
const freshMs = 2_000;
/** Time for which an unknown id is cached: short, so that a new trigger is soon found even if requested before. */
const unknownMs = 1_000;
const triggersMax = 10_000;
/**
 * Maximum number of cached unknown ids. They are cached separately, since anyone can invent ids, which must not evict
 * existing triggers.
 */
const unknownMax = 1_000;

interface Known {
  trigger: TriggerSnapshot;
  since: number;
}

export interface TriggerCacheOptions {
  db: Db;
  messaging: Messaging;
  log: Log;
  signingKeys?: EncryptionKeys | undefined;
}

/** Caches triggers in memory, so that a delivery rarely waits for the database before it is stored. */
export class TriggerCache {
  readonly #known = new LRUCache<string, Known>({ max: triggersMax, ttl: knownMs });
  readonly #unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownMs });
  /** Look-ups in progress. If a trigger changes during its look-up, the result is returned but not cached. */
  readonly #asked = new Map<string, Promise<TriggerSnapshot | undefined>>();
  readonly #lookUps: Batcher<string, TriggerSnapshotRow | undefined>;
  readonly #log: Log;
  readonly #options: CompileOptions;

  constructor({ db, messaging, log, signingKeys }: TriggerCacheOptions) {
    this.#log = log;
    const onFault = (error: unknown) => log.warn({ err: error }, 'definition or secret cannot be read');
    this.#options = { signingKeys, inputsOf: workflowInputs(db), onFault };
    this.#lookUps = new Batcher({
      run: (ids) => load(db, ids),
      isItemFault: () => false,
      isOutage: isDatabaseOutage,
      itemsMax: 100,
      flushers: 2,
      waitingMax: 5_000,
    });
    messaging.subscribe(triggersChanged, ({ ids }) => ids.forEach((id) => this.#evict(id)));
    messaging.subscribe(keyChanged, ({ hash }) => this.#evictByKey(hash));
    messaging.onReconnect(() => this.#evictAll());
  }

  /** Finds the enabled trigger with this id, in upper or lower case. If it is cached, returns it without a promise. */
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
    const asking: Promise<TriggerSnapshot | undefined> = this.#lookUps.add(id).then(async (row) => {
      const trigger = row && (await this.#compiled(row));
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

  /**
   * Compiles a trigger. If this release cannot read it, for example because of a newer kind of sender, only posts to
   * this trigger are refused.
   */
  async #compiled(row: TriggerSnapshotRow): Promise<TriggerSnapshot> {
    try {
      return await compileTrigger(row, this.#options);
    } catch (error) {
      if (isDatabaseOutage(error)) throw error;
      this.#log.error({ err: error, trigger_id: row.id }, 'trigger cannot be read');
      throw new Refusal('service_unavailable', { retryAfterSeconds: 30 });
    }
  }

  #evict(id: string): void {
    this.#known.delete(id);
    this.#unknown.delete(id);
    this.#asked.delete(id);
  }

  /** Evicts the triggers that accept an API key, and no others, since anybody can change a key of their own. */
  #evictByKey(hash: string): void {
    for (const [id, { trigger }] of this.#known.entries())
      if (trigger.secrets.some((secret) => secret.keyId !== null && secret.hash === hash)) this.#known.delete(id);
    this.#asked.clear();
  }

  #evictAll(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#asked.clear();
  }
}

async function load(db: Db, ids: string[]): Promise<(TriggerSnapshotRow | undefined)[]> {
  const byId = new Map((await findTriggerSnapshots(db, ids)).map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/**
 * Ignores the error of a refresh. The cached trigger is used until it expires. After that, a request waits for the
 * look-up and gets its error.
 */
const ignore = () => undefined;
