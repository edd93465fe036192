import type { LookupAddress } from 'node:dns';
import { poolThreads, Slots } from '@relata/runtime';
import { OutboundError } from '../outbound.error.ts';
import { type Resolve, resolveWithSystem } from './resolve-allowed.ts';

/**
 * Maximum number of concurrent lookups: half of libuv's threads, since a lookup occupies a thread until the name
 * servers answer.
 */
const lookupsMax = Math.max(1, Math.floor(poolThreads / 2));

const lookupMs = 5_000;

export interface LookupsOptions {
  resolve?: Resolve;
  slots?: Slots;
  timeoutMs?: number;
}

/**
 * Look-ups of host names, shared fairly by organization: if the name servers of one organization do not answer, the
 * others still get slots. A lookup cannot be stopped, so it keeps its slot until it ends, even if its caller no longer
 * waits. Concurrent lookups of one name for one organization are coalesced. Create one instance per process: two
 * instances could occupy all threads.
 */
export class DnsLookups {
  readonly #resolve: Resolve;
  readonly #slots: Slots;
  readonly #timeoutMs: number;
  readonly #active = new Map<string, Promise<LookupAddress[]>>();

  constructor({
    resolve = resolveWithSystem,
    slots = new Slots(lookupsMax),
    timeoutMs = lookupMs,
  }: LookupsOptions = {}) {
    this.#resolve = resolve;
    this.#slots = slots;
    this.#timeoutMs = timeoutMs;
  }

  /** Looks up a name. It waits for a slot until the signal is aborted, and then for the lookup until its timeout. */
  async find(orgId: string, hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
    const key = `${orgId} ${hostname}`;
    const active = this.#active.get(key);
    if (active) return this.#inTime(active, hostname);
    // There must be no `await` if a slot is free, so that the next caller finds the lookup that begins below.
    const slot = this.#slots.acquire([orgId], signal);
    if (slot) await slot;
    // While this caller waited for a slot, another lookup of the same name may have begun.
    const begun = this.#active.get(key);
    if (begun) this.#slots.release([orgId]);
    return this.#inTime(begun ?? this.#begin(orgId, hostname, key), hostname);
  }

  #begin(orgId: string, hostname: string, key: string): Promise<LookupAddress[]> {
    const begun = this.#resolve(hostname).finally(() => {
      this.#active.delete(key);
      this.#slots.release([orgId]);
    });
    this.#active.set(key, begun);
    return begun;
  }

  async #inTime(lookup: Promise<LookupAddress[]>, hostname: string): Promise<LookupAddress[]> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const message = `The DNS lookup of ${hostname} took longer than ${this.#timeoutMs} ms.`;
    const timer = setTimeout(() => reject(new OutboundError('timeout', message)), this.#timeoutMs);
    return Promise.race([lookup, late]).finally(() => clearTimeout(timer));
  }
}
