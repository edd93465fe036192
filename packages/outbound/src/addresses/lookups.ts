import type { LookupAddress } from 'node:dns';
import { poolThreads, Slots } from '@relata/runtime';
import { OutboundError } from '../outbound.error.ts';
import type { Resolve } from './resolve-allowed.ts';

/** Half of the threads, each of which a look-up holds for as long as the name servers keep silent. */
const lookupsMax = Math.max(1, Math.floor(poolThreads / 2));

const lookupMs = 5_000;

export interface LookupsOptions {
  resolve: Resolve;
  /** Look-ups that are under way at once. */
  slots?: Slots;
  timeoutMs?: number;
}

/**
 * Look-ups of host names, shared by organization: one whose name servers keep silent leaves slots to others. A look-up
 * cannot be stopped, so that it has its slot until it is over, also when its caller waits no longer. Those of one name for
 * one organization at the same time are coalesced.
 */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #slots: Slots;
  readonly #timeoutMs: number;
  readonly #active = new Map<string, Promise<LookupAddress[]>>();

  constructor({ resolve, slots = new Slots(lookupsMax), timeoutMs = lookupMs }: LookupsOptions) {
    this.#resolve = resolve;
    this.#slots = slots;
    this.#timeoutMs = timeoutMs;
  }

  /** Waits for a slot as long as the signal allows, then as long as a look-up may take. */
  async find(orgId: string, hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
    const key = `${orgId} ${hostname}`;
    const active = this.#active.get(key);
    if (active) return this.#inTime(active, hostname);
    // Without a wait it begins at once, so that the next one to ask finds it.
    const slot = this.#slots.acquire([orgId], signal);
    if (slot) await slot;
    // While this one waited for a slot, another one of the same name may have got one.
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
    const message = `The addresses of ${hostname} were not found within ${this.#timeoutMs} ms.`;
    const timer = setTimeout(() => reject(new OutboundError('timeout', message)), this.#timeoutMs);
    return Promise.race([lookup, late]).finally(() => clearTimeout(timer));
  }
}
