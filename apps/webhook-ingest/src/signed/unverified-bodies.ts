import { ByteBudget, toClientSite, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Number of unverified bodies per process; a single address gets a quarter for a trigger. */
const bodiesMax = 2_048;
/**
 * Number of bodies of 512 KB that fit. The half ensures that a small body finds room, however many large ones an
 * address sends.
 */
const largeBodies = 64.5;

/**
 * An unverified body of an address for a trigger. Its bytes are released once. It is a class because there is one per
 * post.
 */
export class UnverifiedBody implements Disposable {
  readonly held: HeldBytes;
  readonly #bodies: Shares;
  #isHeld = true;

  /** The body must already be counted in `bodies`. */
  constructor(bodies: Shares, held: HeldBytes) {
    this.#bodies = bodies;
    this.held = held;
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.held[Symbol.dispose]();
    this.#bodies.giveBack(this.held.party);
  }
}

/** Limits how many bodies and bytes strangers can make a process hold, with shares by address and trigger. */
export class UnverifiedBodies {
  readonly #bodies = new Shares(bodiesMax);
  readonly #bytes: ByteBudget;

  constructor(payloadBytesMax: number) {
    this.#bytes = new ByteBudget(largeBodies * payloadBytesMax);
  }

  /** Throws QueueFullError if the address has used up its share of bodies. */
  open(clientIp: string, triggerId: string): UnverifiedBody {
    const site = toClientSite(clientIp);
    const party: Party = site === undefined ? [clientIp, triggerId] : [site, clientIp, triggerId];
    if (!this.#bodies.take(party)) throw new QueueFullError('Too many unverified bodies at once.');
    return new UnverifiedBody(this.#bodies, this.#bytes.hold(party));
  }
}
