import { ByteBudget, toClientSite, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares, Slots } from '@relata/runtime';
import { largeSlots, longestWait } from '../large-bodies.ts';

/** Maximum number of unverified bodies per process. One address gets at most a quarter of it for one trigger. */
const bodiesMax = 2_048;
/** The budget of bytes holds at least this many bodies of 512 KB. */
const usualBodies = 64;
/**
 * The budget of bytes holds at least this many bodies of the maximum size, because a body without a declared size may
 * be that large.
 */
const largestBodies = 8;
/** Time within which a body with a slot must arrive, so that strangers cannot keep all slots by sending slowly. */
export const largeBodyMs = 10_000;
/** Period for which the time that an address has held slots is added up. The address with the least time goes first. */
const timedMs = 600_000;

/**
 * An unverified body from an address for a trigger. Its bytes are released only once. It is a class, which is cheap to
 * create for each post.
 */
export class UnverifiedBody implements Disposable {
  readonly held: HeldBytes;
  readonly #bodies: Shares;
  readonly #slot: Disposable | undefined;
  #isHeld = true;

  /** Takes over a body that is already counted in `bodies`. */
  constructor(bodies: Shares, held: HeldBytes, slot?: Disposable) {
    this.#bodies = bodies;
    this.held = held;
    this.#slot = slot;
  }

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
 * Limits how many bodies from strangers, and how many bytes of them, a process holds, with shares by address and
 * trigger. Bodies with a declared size over 512 KB wait unread until a slot is free, and take no room from smaller
 * bodies.
 */
export class UnverifiedBodies {
  readonly #bodies = new Shares(bodiesMax);
  readonly #bytes: ByteBudget;
  readonly #usualBytesMax: number;
  readonly #slots: Slots;
  /** Account for large bodies. It has no limit, since the slots limit their number. */
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

  /** Opens the account for a body that needs no slot. Throws QueueFullError if the address has used up its share. */
  open(clientIp: string, triggerId: string): UnverifiedBody {
    const party = this.#takeBody(clientIp, triggerId);
    return new UnverifiedBody(this.#bodies, this.#bytes.hold(party));
  }

  /**
   * Waits for a slot and opens the account for a large body. Throws QueueFullError if the address has used up its share
   * or has waited for 20 seconds, and the signal's reason if the signal is aborted meanwhile.
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
