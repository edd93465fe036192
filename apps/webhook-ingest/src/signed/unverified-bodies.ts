import { ByteBudget, clientSiteOf, type HeldBytes } from '@relata/http';
import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Bodies that may be read before their signature is known, in one process: an address alone gets a quarter for a trigger. */
const bodiesMax = 2_048;
/** Of 512 KB each. The half is left over: however many large ones an address sends, a small one finds room beside them. */
const largeBodies = 64.5;

/** What of one address's posts to a trigger is held; given back at the end of the block that uses it. */
export interface UnverifiedBody extends Disposable {
  readonly held: HeldBytes;
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
    const bodies = this.#bodies;
    if (!bodies.take(party)) throw new QueueFullError('Too many unverified bodies at once.');
    const held = this.#bytes.hold(party);
    return {
      held,
      [Symbol.dispose]: () => {
        held[Symbol.dispose]();
        bodies.giveBack(party);
      },
    };
  }
}
