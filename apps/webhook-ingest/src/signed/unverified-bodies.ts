import { ByteBudget, clientSiteOf, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Bodies that may be read before their signature is known, in one process: an address alone gets a quarter for a trigger. */
const bodiesMax = 2_048;
/** Of 512 KB each. The half is left over: however many large ones an address sends, a small one finds room beside them. */
const largeBodies = 64.5;

/** One body of an address to a trigger. What is held of it is given back once; a class, as there is one for each post. */
export class UnverifiedBody implements Disposable {
  readonly held: HeldBytes;
  readonly #bodies: Shares;
  #isHeld = true;

  /** It is counted in `bodies` already. */
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

/** Bounds what strangers can make a process hold: bodies and bytes, with shares by address and trigger. */
export class UnverifiedBodies {
  readonly #bodies = new Shares(bodiesMax);
  readonly #bytes: ByteBudget;

  constructor(payloadBytesMax: number) {
    this.#bytes = new ByteBudget(largeBodies * payloadBytesMax);
  }

  /** Throws QueueFullError where the address has its share of bodies. */
  open(clientIp: string, triggerId: string): UnverifiedBody {
    const site = clientSiteOf(clientIp);
    const party: Party = site === undefined ? [clientIp, triggerId] : [site, clientIp, triggerId];
    if (!this.#bodies.take(party)) throw new QueueFullError('Too many unverified bodies at once.');
    return new UnverifiedBody(this.#bodies, this.#bytes.hold(party));
  }
}
