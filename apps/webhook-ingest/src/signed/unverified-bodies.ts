import { ByteBudget, toClientSite, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares, Slots } from '@relata/runtime';

/** Number of unverified bodies per process; a single address gets a quarter for a trigger. */
const bodiesMax = 2_048;
/**
 * Number of bodies of 512 KB that fit. The half ensures that a small body finds room, however many large ones an
 * address sends.
 */
const usualBodies = 64.5;
/** Bytes of larger bodies per process, and how many of them are read at once. */
const largeBytesMax = 20_971_520;
const largeBodies = { min: 2, max: 4 };
const longestWait = { ms: 20_000, error: () => new QueueFullError('Too many large bodies at once.') };

/**
 * An unverified body of an address for a trigger. Its bytes are released once. It is a class because there is one per
 * post.
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

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.held[Symbol.dispose]();
    this.#slot?.[Symbol.dispose]();
    this.#bodies.giveBack(this.held.party);
  }
}

/**
 * Limits how many bodies and bytes strangers can make a process hold, with shares by address and trigger. Bodies of more
 * than 512 KB wait unread until a slot is free, and never take the room of others.
 */
export class UnverifiedBodies {
  readonly #bodies = new Shares(bodiesMax);
  readonly #bytes: ByteBudget;
  readonly #usualBytesMax: number;
  readonly #slots: Slots;
  /** Limited by the slots. */
  readonly #largeBytes = new ByteBudget(Infinity);

  constructor(usualBytesMax: number, bytesMax: number) {
    this.#bytes = new ByteBudget(usualBodies * usualBytesMax);
    this.#usualBytesMax = usualBytesMax;
    const count = Math.floor(largeBytesMax / bytesMax);
    this.#slots = new Slots(Math.min(Math.max(count, largeBodies.min), largeBodies.max));
  }

  /**
   * Opens the account for a body of the declared size. Throws QueueFullError if the address has used up its share of
   * bodies, or a large body has waited for 20 seconds.
   */
  async open(clientIp: string, triggerId: string, declaredBytes: number): Promise<UnverifiedBody> {
    const site = toClientSite(clientIp);
    const party: Party = site === undefined ? [clientIp, triggerId] : [site, clientIp, triggerId];
    if (!this.#bodies.take(party)) throw new QueueFullError('Too many unverified bodies at once.');
    if (declaredBytes <= this.#usualBytesMax) return new UnverifiedBody(this.#bodies, this.#bytes.hold(party));
    try {
      const slot = await this.holdSlot(party);
      return new UnverifiedBody(this.#bodies, this.#largeBytes.hold(party), slot);
    } catch (error) {
      this.#bodies.giveBack(party);
      throw error;
    }
  }

  /** Holds a slot for a large body. Throws QueueFullError if none gets free within 20 seconds. */
  holdSlot(party: Party): Promise<Disposable> {
    return this.#slots.hold(party, { longestWait });
  }
}
