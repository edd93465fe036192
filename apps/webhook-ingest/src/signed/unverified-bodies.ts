import { ByteBudget, toClientSite, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares, Slots } from '@relata/runtime';
import { largeSlots, longestWait } from '../large-bodies.ts';

/** Maximum number of unverified bodies per process. One address gets at most a quarter of them for one trigger. */
const bodiesMax = 2_048;
/** Minimum number of bodies of 512 KB that fit. */
const usualBodies = 64;
/**
 * Number of bodies of the maximum size that fit in any case, because a body without a declared size may be that large.
 */
const largestBodies = 8;
/** Time in which a body with a slot must arrive, so that strangers cannot keep all slots with few bytes. */
export const largeBodyMs = 10_000;
/** Period over which the time of an address in the slots counts: the address with the least time goes first. */
const timedMs = 600_000;

/**
 * An unverified body from an address for a trigger. Its bytes are released only once. A class is cheap to create for
 * each post.
 */
export class UnverifiedBody implements Disposable {
  readonly held: HeldBytes;
  readonly #bodies: Shares;
  readonly #slot: Disposable | undefined;
  #isHeld = true;

  /** The body must already be counted in `bodies`. */
  constructor(bodies: Shares, held: HeldBytes, slot?: Disposable) {
    this.#bodies = bodies;
    this.held = held;
    this.#slot = slot;
  }

  /** True if the body holds a slot for large bodies. */
  get hasSlot(): boolean {
    return this.#slot !== undefined;
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.held[Symbol.dispose]();
    this.#slot?.[Symbol.dispose]();
    this.#bodies.giveBack(this.held.party);
  }
}

/**
 * Limits the number and bytes of bodies that strangers can make a process hold, with shares by address and trigger.
 * Bodies with a declared size over 512 KB wait unread until a slot is free, and never take the room of smaller ones.
 */
export class UnverifiedBodies {
  readonly #bodies = new Shares(bodiesMax);
  readonly #bytes: ByteBudget;
  readonly #usualBytesMax: number;
  readonly #slots: Slots;
  /** Bytes of large bodies. The slots limit their number. */
  readonly #largeBytes = new ByteBudget(Infinity);

  constructor(usualBytesMax: number, bytesMax: number) {
    this.#bytes = new ByteBudget(Math.max(usualBodies * usualBytesMax, largestBodies * bytesMax));
    this.#usualBytesMax = usualBytesMax;
    this.#slots = new Slots(largeSlots(bytesMax), { timedMs });
  }

  /** Returns true for a body that needs a slot. */
  isLarge(declaredBytes: number): boolean {
    return declaredBytes > this.#usualBytesMax;
  }

  /** Opens the account for a usual body. Throws QueueFullError if the address has used up its share of bodies. */
  open(clientIp: string, triggerId: string): UnverifiedBody {
    const party = this.#takeBody(clientIp, triggerId);
    return new UnverifiedBody(this.#bodies, this.#bytes.hold(party));
  }

  /**
   * Opens the account for a large body. Throws QueueFullError also after a wait of 20 seconds, and the signal's reason
   * if the signal is aborted meanwhile.
   */
  async openLarge(clientIp: string, triggerId: string, signal: AbortSignal): Promise<UnverifiedBody> {
    const party = this.#takeBody(clientIp, triggerId);
    try {
      const slot = await this.#slots.hold(party, { longestWait, signal });
      return new UnverifiedBody(this.#bodies, this.#largeBytes.hold(party), slot);
    } catch (error) {
      this.#bodies.giveBack(party);
      throw error;
    }
  }

  #takeBody(clientIp: string, triggerId: string): Party {
    const site = toClientSite(clientIp);
    const party: Party = site === undefined ? [clientIp, triggerId] : [site, clientIp, triggerId];
    if (!this.#bodies.take(party)) throw new QueueFullError('Too many unverified bodies at once.');
    return party;
  }
}
