import { createHmac } from 'node:crypto';
import type { Db } from '@relata/db';
import { LRUCache } from 'lru-cache';
import { clientGroupsOf } from '../admission/client-groups.ts';
import { ClientUsage, ClientUsageLog } from './client-usage-log.ts';
import type { Reservation } from './token-budget.ts';

export interface ClientBudgetOptions {
  db: Db;
  /** Tokens of an organization that one client IP may use in a day. */
  daily: number;
  /** Addresses are hashed with it: a copy of the database alone does not show them by trying all. */
  secret: string;
  /** Called with the error if counts could not be written. */
  onError: (error: unknown) => void;
  /** Clients whose counts are cached. */
  clientsMax?: number;
}

const hashBytes = 16;

/**
 * What one client may use of its organization's tokens in a day, over all replicas; all of one IPv6 site may use a few
 * times as much. Counts are kept in the database and cached here: a client that is new to this process is looked up, and
 * what is used is written once a second, which is as far as replicas are behind each other.
 */
export class ClientBudget implements AsyncDisposable {
  readonly #daily: number;
  readonly #secret: string;
  readonly #usages: LRUCache<string, ClientUsage>;
  readonly #log: ClientUsageLog;

  constructor({ db, daily, secret, onError, clientsMax = 20_000 }: ClientBudgetOptions) {
    this.#daily = daily;
    this.#secret = secret;
    this.#usages = new LRUCache({ max: clientsMax });
    this.#log = new ClientUsageLog(db, onError);
  }

  /**
   * Sets so many tokens aside; undefined where nothing is left of the client's share. What is left need not be enough: a
   * share that is smaller than an answer would else never give one. Rejects where nobody knows within `maxMs`.
   */
  async reserve(orgId: string, ip: string, tokens: number, maxMs: number): Promise<Reservation | undefined> {
    const day = new Date().toISOString().slice(0, 10);
    const groups = clientGroupsOf(ip).map(({ name, times }) => ({
      usage: this.#usageOf(orgId, day, name),
      most: this.#daily * times,
    }));
    const usages = groups.map(({ usage }) => usage);
    if (usages.some(({ isKnown }) => !isKnown)) await this.#log.lookUp(usages, maxMs);
    if (groups.some(({ usage, most }) => usage.spent >= most)) return undefined;
    for (const usage of usages) usage.reserved += tokens;
    return { settle: (used) => usages.forEach((usage) => this.#settle(usage, tokens, used)) };
  }

  #settle(usage: ClientUsage, reserved: number, used: number): void {
    usage.reserved -= reserved;
    usage.unsaved += used;
    if (used > 0) this.#log.add(usage);
  }

  #usageOf(orgId: string, day: string, group: string): ClientUsage {
    const name = `${day} ${orgId} ${group}`;
    let usage = this.#usages.get(name);
    if (!usage) this.#usages.set(name, (usage = new ClientUsage(orgId, day, this.#hash(name))));
    return usage;
  }

  #hash(name: string): string {
    const digest = createHmac('sha256', this.#secret).update(`relata chat client ${name}`).digest();
    return digest.subarray(0, hashBytes).toString('hex');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#log[Symbol.asyncDispose]();
  }
}
